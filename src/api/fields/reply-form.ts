import * as v from 'valibot';
import { invalidRequest, unsupportedParameter } from '../../contract/errors.ts';
import type { ReplyFormat } from '../../contract/generation-request.ts';
import { booleanField, list, nonEmptyText, objectField, record, textField } from './fields.ts';

/** The schema of a field that holds a JSON schema. */
export const schemaObject = record('must be a JSON schema object', v.unknown());

/** The most texts of which a reply can be one. */
const MOST_CHOICES = 1000;
const choices = v.pipe(
  list(nonEmptyText, MOST_CHOICES, 'texts', 'must be an array of texts'),
  v.minLength(1, 'must have at least 1 text'),
);

/** The fields for the form of a reply that chats and plain completions share: those of llama-server and vLLM. */
export const replyFormEntries = {
  grammar: v.nullish(textField),
  guided_json: v.nullish(schemaObject),
  guided_regex: v.nullish(nonEmptyText),
  guided_choice: v.nullish(choices),
  guided_grammar: v.nullish(nonEmptyText),
  structured_outputs: v.nullish(
    objectField(
      {
        json: v.nullish(schemaObject),
        json_object: v.nullish(booleanField),
        regex: v.nullish(nonEmptyText),
        choice: v.nullish(choices),
        grammar: v.nullish(nonEmptyText),
      },
      'must be an object',
    ),
  ),
} satisfies v.ObjectEntries;

/** The fields of a validated request for the form of its reply. */
export type ReplyFormFields = v.InferOutput<v.ObjectSchema<typeof replyFormEntries, undefined>>;

/**
 * Returns the form that the reply must have. `response` is the form that another field of the request asks for. Throws a
 * 400 `ApiError` if more than one field asks for a form, and for an unknown form in `structured_outputs`.
 */
export function toReplyForm(request: ReplyFormFields, response: ReplyFormat | null = null): ReplyFormat {
  const { guided_json, guided_regex, guided_choice, guided_grammar, structured_outputs: outputs } = request;
  const { json, json_object, regex, choice, grammar, ...others } = outputs ?? {};
  for (const [name, value] of Object.entries(others)) refuseForm(`structured_outputs.${name}`, value);
  const asked: [field: string, form: ReplyFormat | null][] = [
    ['response_format', response],
    ['grammar', toGrammar(request.grammar, 'grammar')],
    ['guided_json', toSchema(guided_json, 'guided_json')],
    ['guided_regex', toPattern(guided_regex, 'guided_regex')],
    ['guided_choice', toChoice(guided_choice, 'guided_choice')],
    ['guided_grammar', toGrammar(guided_grammar, 'guided_grammar')],
    ['structured_outputs', toSchema(json, 'structured_outputs.json')],
    ['structured_outputs', json_object ? { kind: 'json' } : null],
    ['structured_outputs', toPattern(regex, 'structured_outputs.regex')],
    ['structured_outputs', toChoice(choice, 'structured_outputs.choice')],
    ['structured_outputs', toGrammar(grammar, 'structured_outputs.grammar')],
  ];
  const [first, another] = asked.flatMap(([field, form]) => (form ? [{ field, form }] : []));
  if (!another) return first?.form ?? { kind: 'text' };
  throw invalidRequest(
    `${another.field} can not be combined with another field for the form of the reply.`,
    another.field,
  );
}

function refuseForm(param: string, value: unknown): void {
  if (value !== null)
    throw unsupportedParameter(param, `${param} is not supported; json, json_object, regex, choice and grammar are.`);
}

function toSchema(schema: ReplyFormFields['guided_json'], param: string): ReplyFormat | null {
  return schema ? { kind: 'schema', schema, param } : null;
}

function toPattern(pattern: string | null | undefined, param: string): ReplyFormat | null {
  return pattern ? { kind: 'pattern', pattern, param } : null;
}

function toChoice(texts: string[] | null | undefined, param: string): ReplyFormat | null {
  return texts ? { kind: 'choice', texts, param } : null;
}

function toGrammar(grammar: string | null | undefined, param: string): ReplyFormat | null {
  return grammar ? { kind: 'grammar', grammar, param } : null;
}
