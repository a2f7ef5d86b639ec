import * as v from 'valibot';
import { booleanField, integerField, nonEmptyText, textField } from '../fields/fields.ts';
import { keepAliveField } from '../fields/keep-alive.ts';

/** The body of POST /v1/models/pull. The reply streams unless `stream` is false, because pulls take minutes. */
export const pullRequestSchema = v.looseObject(
  { model: nonEmptyText, stream: v.nullish(booleanField) },
  'must be a JSON object',
);

/** The most repositories that a hub returns at once. */
const MOST_FOUND = 100;

/** The body of POST /v1/models/search. */
export const searchRequestSchema = v.looseObject(
  { query: textField, limit: v.nullish(integerField(1, MOST_FOUND)) },
  'must be a JSON object',
);

/** The body of POST /v1/models/variants. */
export const variantsRequestSchema = v.looseObject({ model: nonEmptyText }, 'must be a JSON object');

/** The body of POST /v1/models/load. */
export const loadRequestSchema = v.looseObject(
  { model: nonEmptyText, keep_alive: v.nullish(keepAliveField) },
  'must be a JSON object',
);

/** The body of POST /v1/models/unload. */
export const unloadRequestSchema = v.looseObject({ model: nonEmptyText }, 'must be a JSON object');
