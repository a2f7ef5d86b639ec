import type * as v from 'valibot';
import { invalidRequest } from '../../contract/errors.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';
import { validate } from '../fields/fields.ts';
import { noteKeepAlive } from '../fields/keep-alive.ts';
import { undefinedFields } from '../fields/support.ts';
import type { ApiRequest } from '../http/http.ts';
import { parseJsonBody } from '../http/json-body.ts';
import { findModel } from './names.ts';
import { KNOWN_OPTIONS } from './schema.ts';

type NamedSchema = v.GenericSchema<unknown, Named> & { entries: v.ObjectEntries };

interface Named {
  model?: string | null | undefined;
  name?: string | null | undefined;
}

/**
 * Fields of Ollama's clients that have no effect here: there is no insecure registry, and there are no verbose fields.
 */
const WITHOUT_EFFECT = ['insecure', 'verbose'];

/**
 * Validates a body that names a model. Any content type is accepted, as in Ollama: the examples of its documentation
 * use `curl -d` without a content type. Throws a 400 or 413 `ApiError`.
 */
export async function readNamed<S extends NamedSchema>(
  { noteUnknownFields }: RequestContext,
  request: ApiRequest,
  schema: S,
): Promise<{ body: v.InferOutput<S>; name: string }> {
  const json = {
    headers: { ...request.headers, 'content-type': 'application/json' },
    text: request.text,
  };
  const body = validate(schema, await parseJsonBody(json));
  const { model, name }: Named = body;
  const given = model ?? name;
  if (!given) throw invalidRequest('model is required.', 'model');
  noteUnknownFields(unknownFields(body as object, schema.entries));
  return { body, name: given };
}

/** Returns the unknown fields of a body and of its options. */
function unknownFields(body: object, entries: object): string[] {
  const fields = undefinedFields(body, entries).filter((field) => !WITHOUT_EFFECT.includes(field));
  const options = Object.keys('options' in entries && 'options' in body ? (body.options ?? {}) : {});
  return [...fields, ...options.filter((name) => !KNOWN_OPTIONS.has(name)).map((name) => `options.${name}`)];
}

/** Like `readNamed`, and finds the model. `name` is the client's own name for it. Throws a 404 `ApiError` too. */
export async function readOllamaModelRequest<S extends NamedSchema>(
  context: RequestContext,
  request: ApiRequest,
  schema: S,
): Promise<{ body: v.InferOutput<S>; name: string; model: ModelCard }> {
  const { body, name } = await readNamed(context, request, schema);
  const model = findModel(context, name);
  context.trace.model = model.id;
  noteKeepAlive(context.record, body as object);
  return { body, name, model };
}
