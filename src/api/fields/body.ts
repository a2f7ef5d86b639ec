import type * as v from 'valibot';
import type { RequestContext } from '../context.ts';
import type { ApiRequest } from '../http/http.ts';
import { parseJsonBody } from '../http/json-body.ts';
import { validate } from './fields.ts';
import { undefinedFields } from './support.ts';

/**
 * Validates the body of a request that names no model to run. Throws a 400, 413 or 415 `ApiError`. Passes unknown fields
 * to `noteUnknownFields`.
 */
export async function readBody<const Schema extends v.GenericSchema & { entries: v.ObjectEntries }>(
  { noteUnknownFields }: Pick<RequestContext, 'noteUnknownFields'>,
  request: ApiRequest,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  const body = validate(schema, await parseJsonBody(request));
  noteUnknownFields(undefinedFields(body as object, schema.entries));
  return body;
}
