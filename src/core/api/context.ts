import type { Importer } from '../importer.ts';
import type { Log } from '../log.ts';
import type { MediaReader } from '../media.ts';
import type { Catalogue } from '../model.ts';
import type { Puller } from '../puller.ts';
import type { Remover } from '../remover.ts';
import type { Runner } from '../runner.ts';
import type { CallContext } from '../wire.ts';
import type { ApiRequest } from './http/http.ts';

/** What the API needs from the ground that it runs on. */
export interface ApiContext {
  catalogue: Catalogue;
  runner: Runner;
  /** Fetches models; absent where none can be fetched. */
  puller?: Puller;
  /** Stores model files that clients send; absent where none can be stored. */
  importer?: Importer;
  /** Removes models; absent where none can be removed. */
  remover?: Remover;
  /** Gets images and recordings; absent where none can be taken. */
  media?: MediaReader;
  /** Keys that open the API; none means that it is open. */
  apiKeys: string[];
  /** Origins of web pages that may call, besides those of this very machine; `*` is any. */
  corsOrigins: string[];
  /** Texts that end a reply with content_filter, in a prompt or a reply. */
  contentFilter: string[];
  /** Longest silence before the first token of a stream, in ms. */
  pingIntervalMs: number;
  /** Names the build in every completion. */
  systemFingerprint: string;
  /** Told of request fields that nobody defines. */
  noteUnknownFields: (fields: string[]) => void;
  log: Log;
}

/** How a request is named in the log: by its id, and by the model once that is known. */
export interface Trace {
  requestId: string;
  model?: string;
}

/** What a handler is given: the ground, with a log whose lines all bear the request's trace. */
export interface RequestContext extends ApiContext {
  trace: Trace;
}

/** What goes with a call to the runner on behalf of a request. */
export function callOf({ trace }: RequestContext, { signal }: Pick<ApiRequest, 'signal'>): CallContext {
  return { requestId: trace.requestId, signal };
}
