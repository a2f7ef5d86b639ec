import * as v from 'valibot';
import { booleanField, nonEmptyText } from '../fields/fields.ts';

/** The body of POST /v1/models/pull. The reply streams unless `stream` is false, because pulls take minutes. */
export const pullRequestSchema = v.looseObject(
  { model: nonEmptyText, stream: v.nullish(booleanField) },
  'must be a JSON object',
);
