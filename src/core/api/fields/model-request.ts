import type * as v from 'valibot';
import { modelNotFound } from '../../errors.ts';
import type { ModelCard } from '../../model.ts';
import type { ApiContext } from '../context.ts';
import { type ApiRequest, parseJsonBody } from '../http/http.ts';
import { validate } from './fields.ts';
import { refuseFields, undefinedFields } from './support.ts';

/** The schema of a body that names a model. */
type ModelRequestSchema = v.GenericSchema<unknown, { model: string }> & { entries: v.ObjectEntries };

/**
 * The validated body of a request and the model that it names. Throws a 400, 404 or 415 `ApiError`.
 * Fields that would silently be ignored are refused, `refused` among them; those that nobody defines are noted.
 */
export function readModelRequest<S extends ModelRequestSchema>(
  { catalogue, noteUnknownFields }: ApiContext,
  request: ApiRequest,
  schema: S,
  refused: string[] = [],
): { body: v.InferOutput<S>; model: ModelCard } {
  const body = validate(schema, parseJsonBody(request));
  const model = catalogue.find(body.model);
  if (!model) throw modelNotFound(body.model);
  refuseFields(body, refused);
  noteUnknownFields(undefinedFields(body, schema.entries));
  return { body, model };
}
