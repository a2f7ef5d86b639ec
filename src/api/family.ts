import type * as v from 'valibot';
import type { ApiContext, RequestContext } from './context.ts';
import type { ApiReply, ApiRequest } from './http/http.ts';
import type { ApiSchema } from './openapi/json-schema.ts';

/**
 * Answers a request. `parameter` is the decoded part of the path that the braces stand for, or '' if the route has
 * none.
 */
export type Handler = (context: RequestContext, request: ApiRequest, parameter: string) => ApiReply | Promise<ApiReply>;

/**
 * One method of one path: its handler and its description in the OpenAPI document. `Name` is the name of a response
 * schema.
 */
export interface Route<Name extends string = string> {
  method: 'GET' | 'POST' | 'DELETE';
  /** It may end with a parameter in braces. The parameter may contain slashes. */
  path: string;
  handler: Handler;
  /** True if the route needs no API key, `metricsOpen` if that is up to this setting. */
  open?: true | 'metricsOpen';
  /**
   * Loads, unloads, pulls, imports or removes models, or tells of everybody's requests, which not every web page and not every key that may
   * ask models may do.
   */
  manages?: true;
  /** The operation's id in the OpenAPI document. */
  id: string;
  summary: string;
  /** The JSON body. */
  body?: { name: string; schema: v.GenericSchema };
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
  /** True if each event of the stream is named by its type, and none says [DONE]. */
  namedEvents?: true;
}

/** Says whether anybody may call a route, without a key. */
export function isOpen(
  { open }: Pick<Route, 'open'>,
  { metricsOpen = false }: Pick<ApiContext, 'metricsOpen'>,
): boolean {
  return open === 'metricsOpen' ? metricsOpen : open === true;
}

/** A family of endpoints. Each is a folder here. */
export interface Family {
  routes: Route[];
  /** The schemas of its responses, by name. */
  schemas: Record<string, ApiSchema>;
}

/** Returns the family as it is. Checks at compile time that the routes only name schemas that exist. */
export function defineFamily<const S extends Record<string, ApiSchema>>(family: {
  routes: Route<Extract<keyof S, string>>[];
  schemas: S;
}): Family {
  return family;
}
