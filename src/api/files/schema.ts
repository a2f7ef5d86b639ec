import * as v from 'valibot';
import { integerField, oneOf } from '../fields/fields.ts';
import { FormFile } from '../fields/form.ts';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

/** How long a file is kept if its client does not say, and the most that it may say, in seconds. */
export const KEPT_S = 30 * DAY_S;

/** The field `seconds` of `expires_after`. */
export const expirySeconds = integerField(HOUR_S, KEPT_S);
/** The field `anchor` of `expires_after`. */
export const expiryAnchor = oneOf(['created_at']);

/** The form of POST /v1/files. */
export const fileFormSchema = v.looseObject(
  {
    file: v.instance(FormFile, 'must be a file'),
    purpose: oneOf(['batch']),
    'expires_after[anchor]': v.optional(expiryAnchor),
    'expires_after[seconds]': v.optional(expirySeconds),
  },
  'must be a form',
);
