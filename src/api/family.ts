import type * as v from 'valibot';
import type { ApiContext, RequestContext } from './context.ts';
import type { Dialect } from './http/dialect.ts';
import type { ApiReply, ApiRequest } from './http/http.ts';
import type { ApiSchema } from './openapi/json-schema.ts';

/**
 * Answers a request. `parameter` is the decoded part of the path that the braces stand for, or '' if the route has
 * none. Several parameters are joined by slashes.
 */
export type Handler = (context: RequestContext, request: ApiRequest, parameter: string) => ApiReply | Promise<ApiReply>;

/**
 * One method of one path: its handler and its description in the OpenAPI document. `Name` is the name of a response
 * schema.
 */
export interface Route<Name extends string = string> {
  method: 'GET' | 'POST' | 'DELETE';
  /** It may have parameters in braces. A parameter may contain slashes if it is the only one. */
  path: string;
  handler: Handler;
  /** True if the route needs no API key; `metricsOpen` if it needs none with this setting. */
  open?: true | 'metricsOpen';
  /**
   * True if the route changes which models there are or are loaded, or reports the requests of all clients. Some web
   * pages and keys may run models, but may not call such a route.
   */
  manages?: true;
  /**
   * True if the handler only reports state, and reads from the runner which models are loaded. A service worker has no
   * engine of its own: it asks another tab's engine for this state before it calls the handler, and does not do so for
   * any other route.
   */
  reportsState?: true;
  /** The operation's id in the OpenAPI document. */
  id: string;
  summary: string;
  /** The JSON body. */
  body?: { name: string; schema: v.GenericSchema };
  /** The form in the body, and the names of its files. */
  form?: { name: string; schema: v.GenericSchema; files: string[] };
  /** Present if the body is a file. These are the fields of the query. */
  upload?: Record<string, { required: boolean; schema: ApiSchema; description: string }>;
  /** The whole reply. Absent if the reply is always a stream. */
  response?: Name;
  /** One event of the reply, if it may be a stream. */
  event?: Name;
  /** True if the stream is lines of JSON. All others are server-sent events. */
  ndjson?: true;
  /** True if the whole reply is plain text. */
  text?: true;
  /** True if each event of the stream is named by its type, and the stream ends without [DONE]. */
  namedEvents?: true;
}

/** True if a route needs no key. */
export function isOpen(
  { open }: Pick<Route, 'open'>,
  { metricsOpen = false }: Pick<ApiContext, 'metricsOpen'>,
): boolean {
  return open === 'metricsOpen' ? metricsOpen : open === true;
}

/** How a family tells its clients of errors. Without these fields, its errors are OpenAI's. */
interface FamilyErrors {
  /** The dialect of the errors of all its routes. */
  dialect?: Dialect;
  /**
   * The beginnings of paths, as in `/v1/messages`, that clients of this dialect alone ask for: an error has the dialect
   * at every path below them too, such as a 404 at one without a route. A beginning with a slash at its end leaves out
   * the path without the slash.
   */
  errorPaths?: string[];
}

/** A family of endpoints. Each is a folder here. */
export interface Family extends FamilyErrors {
  routes: Route[];
  /** The schemas of its responses and of its dialect's errors, by name. */
  schemas: Record<string, ApiSchema>;
}

/** Returns the family as it is. Checks at compile time that the routes only name schemas that exist. */
export function defineFamily<const S extends Record<string, ApiSchema>>(
  family: FamilyErrors & {
    routes: Route<Extract<keyof S, string>>[];
    schemas: S;
  },
): Family {
  return family;
}
