import type * as v from 'valibot';
import type { RequestContext } from './context.ts';
import type { ApiReply, ApiRequest } from './http/http.ts';
import type { ApiSchema } from './openapi/json-schema.ts';

/** Answers a request. `parameter` is the part of the path in braces, decoded; '' where the path has none. */
export type Handler = (context: RequestContext, request: ApiRequest, parameter: string) => ApiReply | Promise<ApiReply>;

/** One method of one path: how it is served, and how the OpenAPI document describes it. `Name` is that of a response schema. */
export interface Route<Name extends string = string> {
  method: 'GET' | 'POST' | 'DELETE';
  /** It may end with a parameter in braces, which takes slashes too. */
  path: string;
  handler: Handler;
  /** Served without a key. */
  open?: true;
  /** The operation's id in the OpenAPI document. */
  id: string;
  summary: string;
  /** The JSON body that it takes. */
  body?: { name: string; schema: v.GenericSchema };
  /** It takes a file as its body, with these fields in the query. */
  upload?: Record<string, { required: boolean; schema: ApiSchema; description: string }>;
  /** The whole reply; absent where the reply always is a stream. */
  response?: Name;
  /** One event of the reply, where that may be a stream. */
  event?: Name;
}

/** A family of endpoints: a folder of this one. */
export interface Family {
  routes: Route[];
  /** What it answers, by the name of the schema. */
  schemas: Record<string, ApiSchema>;
}

/** Checks at compile time that the routes name schemas that are there. */
export function defineFamily<const S extends Record<string, ApiSchema>>(family: {
  routes: Route<Extract<keyof S, string>>[];
  schemas: S;
}): Family {
  return family;
}
