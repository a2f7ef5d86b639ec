import type { Finder } from '../../../contract/models/finder.ts';
import { createFinder } from '../finder.ts';
import { hubFrom } from '../hugging-face.ts';
import { PATIENCE, type Patience } from '../patience.ts';
import { createServerFetch } from './fetch.ts';

export interface FinderOptions {
  /** HF_TOKEN and HF_ENDPOINT are read from it. */
  env: Record<string, string | undefined>;
  /** True if files may come from this machine and from private networks. The hub may be there in any case. */
  allowPrivate: boolean;
  patience?: Patience;
}

/** Makes the finder of a server. Throws a plain error if HF_ENDPOINT is not a URL. */
export function createServerFinder({ env, allowPrivate, patience = PATIENCE }: FinderOptions): Finder {
  const hub = hubFrom(env);
  return createFinder({ hub, fetch: createServerFetch({ hubUrl: hub.endpoint, allowPrivate }), patience });
}
