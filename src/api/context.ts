import type { Batches } from '../contract/batches.ts';
import type { CallContext } from '../contract/call-context.ts';
import type { ApiError } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import type { MachineSpeed } from '../contract/machine-speed.ts';
import type { McpServers } from '../contract/mcp.ts';
import type { MediaReader } from '../contract/media.ts';
import type { Finder } from '../contract/models/finder.ts';
import type { Importer } from '../contract/models/importer.ts';
import type { Catalogue } from '../contract/models/model.ts';
import type { Puller } from '../contract/models/puller.ts';
import type { Remover } from '../contract/models/remover.ts';
import type { Runner } from '../contract/runner.ts';
import type { ApiRequest } from './http/http.ts';
import type { PageRules } from './http/reach.ts';
import type { ApiKeys } from './keys/key.ts';
import type { Observer, RequestRecord, Trace } from './record.ts';
import type { ResponseStore } from './responses/store.ts';

/** The parts that the API needs from the platform on which it runs. */
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
  /** Measures the machine, once. Resolves to null if it can't be measured. Absent if this platform can't. */
  machine?: () => Promise<MachineSpeed | null>;
  /** The stored responses of /v1/responses. */
  responses: ResponseStore;
  /** Returns the files and batches, or throws a 501 `ApiError` that says why there are none. Absent if this platform has no disk. */
  batches?: () => Batches;
  /** The MCP servers whose tools requests may ask for. Absent if this platform can't run tools. */
  mcp?: McpServers;
  apiKeys: ApiKeys;
  /** The web pages that may call this API. */
  pages: PageRules;
  /** Texts that end a reply with content_filter, in a prompt or a reply. */
  contentFilter: string[];
  /** The time without an event after which a stream sends a ping, before its first text, in ms. */
  pingIntervalMs: number;
  /** Identifies the build. Every completion has it. */
  systemFingerprint: string;
  /** Called with the request fields that neither Paddock, OpenAI nor llama-server define. */
  noteUnknownFields: (fields: string[]) => void;
  /** Aborted when the server begins to shut down, and refuses new work. Absent if this platform never shuts down. */
  leaving?: AbortSignal;
  /**
   * Returns the error of GET /ready while the server is not ready, though it serves requests already; null once it is
   * ready.
   */
  unready?: () => ApiError | null;
  /** Is called with the progress of requests, for metrics and logs. Absent without metrics and logs. */
  observer?: Observer;
  /** The metrics in Prometheus's text format. Absent if this platform has none. */
  metrics?: () => Promise<string>;
  /** True if the metrics need no key. */
  metricsOpen?: boolean;
  /** True if prompts are logged. */
  logPrompts?: boolean;
  log: Log;
}

/** The context of one request, for its handler: the API's context with a log that adds `trace` to every line. */
export interface RequestContext extends ApiContext {
  trace: Trace;
  record: RequestRecord;
  /** The client's name for its conversation. Absent if the headers have none. */
  session?: string;
}

/**
 * Returns a context with `fields`, whose prototype is `context`. A spread of it loses the fields of the prototype.
 * Every request makes one, and to copy all fields would take as long as uWebSockets.js takes for the whole request.
 */
export function extended<C extends ApiContext, F extends object>(context: C, fields: F): C & F {
  return Object.assign(Object.create(context), fields);
}

/** Returns the context for the calls of a request to the runner. */
export function callOf({ trace, record }: RequestContext, { signal }: Pick<ApiRequest, 'signal'>): CallContext {
  const { party } = record;
  return { requestId: trace.requestId, signal, figures: record, ...(party && { party }) };
}
