import * as v from 'valibot';
import { nonEmptyText, objectField, oneOf, record, textField } from '../fields/fields.ts';
import { expiryAnchor, expirySeconds } from '../files/schema.ts';

/** The endpoints that the lines of a batch may ask. */
export const BATCH_ENDPOINTS = ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses'] as const;

const MOST_PAIRS = 16;
const LONGEST_KEY = 64;
const LONGEST_VALUE = 512;

const metadata = v.pipe(
  record(
    'must be an object of strings',
    v.pipe(textField, v.maxLength(LONGEST_VALUE, `must have at most ${LONGEST_VALUE} characters`)),
    v.pipe(v.string(), v.maxLength(LONGEST_KEY, `must have keys of at most ${LONGEST_KEY} characters`)),
  ),
  v.check((pairs) => Object.keys(pairs).length <= MOST_PAIRS, `must have at most ${MOST_PAIRS} keys`),
);

/** The body of POST /v1/batches. */
export const batchRequestSchema = v.looseObject(
  {
    input_file_id: nonEmptyText,
    endpoint: oneOf(BATCH_ENDPOINTS),
    completion_window: oneOf(['24h']),
    metadata: v.nullish(metadata),
    output_expires_after: v.nullish(
      objectField({ anchor: expiryAnchor, seconds: expirySeconds }, 'must be an object with anchor and seconds'),
    ),
  },
  'must be a JSON object',
);
