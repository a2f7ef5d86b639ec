import * as v from 'valibot';
import { list, record, textField } from '../fields/fields.ts';
import { contentItem } from '../responses/items.ts';

/** More items than any client sends at once. */
const MOST_ITEMS = 10_000;

const items = list(contentItem, MOST_ITEMS, 'items', 'must be an array of items');
const metadata = record('must be an object of strings', textField);

/** The body of POST /v1/conversations. */
export const conversationRequestSchema = v.looseObject(
  { items: v.nullish(items), metadata: v.nullish(metadata) },
  'must be a JSON object',
);

/** The body of POST /v1/conversations/{conversation_id}. */
export const conversationUpdateSchema = v.looseObject({ metadata }, 'must be a JSON object');

/** The body of POST /v1/conversations/{conversation_id}/items. */
export const conversationItemsSchema = v.looseObject({ items }, 'must be a JSON object');
