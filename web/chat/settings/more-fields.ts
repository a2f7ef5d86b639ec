import { chatRequestSchema } from '../../../src/api/chat/schema.ts';
import { validate } from '../../../src/api/fields/fields.ts';
import { FIELDS_WITHOUT_EFFECT, refuseFields, undefinedFields } from '../../../src/api/fields/support.ts';
import type { Translate } from '../messages/translate.ts';

const REQUEST = { model: 'any', messages: [{ role: 'user', content: '' }] };

/**
 * Returns the reason why the API would refuse or ignore these fields of a chat request, partly in the API's English;
 * null if it honours all of them.
 */
export function problemOfFields(fields: object, t: Translate): string | null {
  const idle = Object.keys(fields).find((name) => FIELDS_WITHOUT_EFFECT.has(name));
  if (idle !== undefined) return t('settings.noEffect', { name: idle });
  const [unknown] = undefinedFields(fields, chatRequestSchema.entries);
  if (unknown !== undefined) return t('settings.noField', { name: unknown });
  try {
    validate(chatRequestSchema, { ...REQUEST, ...fields });
    refuseFields(fields, [], chatRequestSchema.entries);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
