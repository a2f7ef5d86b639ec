import type { CallContext } from '../contract/call-context.ts';
import type { ApiError } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import type { MediaReader } from '../contract/media.ts';
import type { Finder } from '../contract/models/hub.ts';
import type { Importer } from '../contract/models/importer.ts';
import type { Catalogue } from '../contract/models/model.ts';
import type { Puller } from '../contract/models/puller.ts';
import type { Remover } from '../contract/models/remover.ts';
import type { Runner } from '../contract/runner.ts';
import type { ApiRequest } from './http/http.ts';
import type { JsonLimits } from './http/json-scan.ts';
import type { PageRules } from './http/reach.ts';
import type { ApiKeys } from './keys/key.ts';
import type { Observer, RequestRecord, Trace } from './record.ts';
import type { ResponseStore } from './responses/store.ts';

/** What the API needs from the platform that it runs on. */
export interface ApiContext {
  catalogue: Catalogue;
  runner: Runner;
  /** Fetches models. Absent if this platform can't. */
  puller?: Puller;
  /** Finds models to fetch. Absent if this platform can't. */
  finder?: Finder;
  /** Stores model files that clients upload. Absent if this platform can't. */
  importer?: Importer;
  /** Removes models. Absent if this platform can't. */
  remover?: Remover;
  /** Reads images and recordings. Absent if this platform can't. */
  media?: MediaReader;
  /** The responses that clients may come back to. */
  responses: ResponseStore;
  apiKeys: ApiKeys;
  /** Which web pages may call. */
  pages: PageRules;
  /** What a JSON body may hold. */
  jsonLimits: JsonLimits;
  /** Texts that end a reply with content_filter, in a prompt or a reply. */
  contentFilter: string[];
  /** The longest silence before the first text of a stream, in ms. */
  pingIntervalMs: number;
  /** Identifies the build. Every completion has it. */
  systemFingerprint: string;
  /** Called with the request fields that neither Paddock, OpenAI nor llama-server define. */
  noteUnknownFields: (fields: string[]) => void;
  /** Aborted when the server begins to shut down: then it takes no more work. Absent if this platform never shuts down. */
  leaving?: AbortSignal;
  /** Why the server takes no traffic yet, though it does work that comes; null once it does. */
  unready?: () => ApiError | null;
  /** Is told what requests do, for metrics and logs. Absent if nobody wants to know. */
  observer?: Observer;
  /** The metrics in Prometheus's text format. Absent if this platform has none. */
  metrics?: () => Promise<string>;
  /** True if anybody may read the metrics, without a key. */
  metricsOpen?: boolean;
  /** True if the log gets the prompts, which it does not otherwise. */
  logPrompts?: boolean;
  log: Log;
}

/** What a handler gets: the API's context, with a log that adds `trace` to every line. */
export interface RequestContext extends ApiContext {
  trace: Trace;
  record: RequestRecord;
  /** The client's name for its conversation, where its headers have one. */
  session?: string;
}

/**
 * A context with some fields of its own, and all others of `context` by its prototype: a spread of it has only its own. It is made for
 * every request, and a copy of all fields takes as long as uWebSockets.js for the whole of it.
 */
export function extended<C extends ApiContext, F extends object>(context: C, fields: F): C & F {
  return Object.assign(Object.create(context), fields);
}

/** The context of a call to the runner on behalf of a request. */
export function callOf({ trace, record }: RequestContext, { signal }: Pick<ApiRequest, 'signal'>): CallContext {
  const { key } = record;
  return { requestId: trace.requestId, signal, figures: record, ...(key && { party: key }) };
}
