import type * as v from 'valibot';
import { modelNotFound } from '../../contract/errors.ts';
import { findByName } from '../../contract/models/find-model.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';
import type { ApiRequest } from '../http/http.ts';
import { parseJsonBody } from '../http/json-body.ts';
import { validate } from './fields.ts';
import { readForm } from './form.ts';
import { noteKeepAlive } from './keep-alive.ts';
import { refuseFields, undefinedFields } from './support.ts';

/** The schema of a body that names a model. */
type ModelRequestSchema = v.GenericSchema<unknown, { model: string }> & { entries: v.ObjectEntries };

/**
 * Validates the body of a request and finds the model that it names. Throws a 400, 404, 413 or 415 `ApiError`. Refuses
 * the fields in `refused`, and fields that would be silently ignored. Passes unknown fields to `noteUnknownFields`. `look`
 * is called with the body before it is validated, and may throw.
 */
export async function readModelRequest<S extends ModelRequestSchema>(
  context: RequestContext,
  request: ApiRequest,
  schema: S,
  refused: string[] = [],
  look: (body: unknown) => void = () => {},
): Promise<{ body: v.InferOutput<S>; model: ModelCard }> {
  return readRequestFor(context, request, schema, findIn(context), refused, look);
}

/** Does the same as `readModelRequest`, for a form. */
export async function readFormFor<S extends ModelRequestSchema>(
  context: RequestContext,
  request: ApiRequest,
  schema: S,
  refused: string[] = [],
): Promise<{ body: v.InferOutput<S>; model: ModelCard }> {
  const body = await readForm(request, schema);
  return checkRequestFor(context, body, schema, findIn(context), refused);
}

/** Returns a function that finds the model of a body. It throws a 404 `ApiError` for an unknown model. */
function findIn({ catalogue }: Pick<RequestContext, 'catalogue'>) {
  return ({ model: name }: { model: string }): ModelCard => {
    const model = findByName(catalogue, name);
    if (!model) throw modelNotFound(name);
    return model;
  };
}

/** Does the same as `readModelRequest`, for a body whose model is found by `find`. */
export async function readRequestFor<S extends v.GenericSchema & { entries: v.ObjectEntries }>(
  context: RequestContext,
  request: ApiRequest,
  schema: S,
  find: (body: v.InferOutput<S>) => ModelCard,
  refused: string[] = [],
  look: (body: unknown) => void = () => {},
): Promise<{ body: v.InferOutput<S>; model: ModelCard }> {
  const body = await parseJsonBody(request);
  look(body);
  return checkRequestFor(context, validate(schema, body), schema, find, refused);
}

/** Finds the model of a validated body, and refuses or notes the fields that the schema does not have. */
function checkRequestFor<S extends v.GenericSchema & { entries: v.ObjectEntries }>(
  { noteUnknownFields, trace, record }: RequestContext,
  body: v.InferOutput<S>,
  schema: S,
  find: (body: v.InferOutput<S>) => ModelCard,
  refused: string[],
): { body: v.InferOutput<S>; model: ModelCard } {
  const model = find(body);
  trace.model = model.id;
  refuseFields(body as object, refused, schema.entries);
  noteKeepAlive(record, body as object);
  noteUnknownFields(undefinedFields(body as object, schema.entries));
  return { body, model };
}
