import { describe, expect, it } from 'vitest';
import { completionRequestSchema } from '../../../src/api/completions/schema.ts';
import { validate } from '../../../src/api/fields/fields.ts';
import { samplingEntries } from '../../../src/api/fields/sampling.ts';
import { ACCEPTED, REFUSED, withField } from '../chat/schema-cases.ts';
import { REFUSED_INPUTS } from '../fields/text-input-cases.ts';
import { refusalOf } from '../fixtures.ts';
import { once } from './fixtures.ts';

const check = (body: unknown) => validate(completionRequestSchema, body);

const refusal = (body: unknown) => refusalOf(completionRequestSchema, body);
const show = (value: unknown) => JSON.stringify(value) ?? 'nothing';
const isShared = (field: string) => Object.hasOwn(samplingEntries, field.split(/[.[]/)[0] ?? '');

/** Returns the request `once` with a field from the tables of chats. */
function withSharedField(field: string, value: unknown): Record<string, unknown> {
  const { messages: _, ...body } = withField(field, value);
  return { ...body, ...once };
}

const OWN_REFUSED: [field: string, value: unknown, param: string, message: string][] = [
  ['model', undefined, 'model', 'is required'],
  ['model', '', 'model', 'must not be empty'],
  ['model', 5, 'model', 'must be a string'],
  ...REFUSED_INPUTS.map(([input, place, message]): [string, unknown, string, string] => [
    'prompt',
    input,
    `prompt${place}`,
    message,
  ]),
  ['prompt', Array(17).fill('x'), 'prompt', 'must have at most 16 texts'],
  ['prompt', Array(17).fill([1]), 'prompt', 'must have at most 16 texts'],
  ['suffix', 5, 'suffix', 'must be a string'],
  ['max_tokens', 0, 'max_tokens', 'must be an integer of at least 1'],
  ['max_tokens', 1.5, 'max_tokens', 'must be an integer of at least 1'],
  ['max_tokens', '5', 'max_tokens', 'must be an integer of at least 1'],
  ['echo', 'yes', 'echo', 'must be a boolean'],
  ['echo', 1, 'echo', 'must be a boolean'],
  ['best_of', 0, 'best_of', 'must be an integer between 1 and 8'],
  ['best_of', 9, 'best_of', 'must be an integer between 1 and 8'],
  ['best_of', true, 'best_of', 'must be an integer between 1 and 8'],
  ['logprobs', -1, 'logprobs', 'must be an integer between 0 and 5'],
  ['logprobs', 6, 'logprobs', 'must be an integer between 0 and 5'],
  ['logprobs', true, 'logprobs', 'must be an integer between 0 and 5'],
];

const OWN_ACCEPTED: [field: string, value: unknown][] = [
  ['prompt', Array(16).fill('x')],
  ['prompt', Array(5000).fill(1)],
  ['suffix', ''],
  ['suffix', 'the end'],
  ['max_tokens', 1],
  ['echo', true],
  ['best_of', 1],
  ['logprobs', 0],
  ['logprobs', 5],
];

describe('completion request schema', () => {
  it.each(OWN_REFUSED.map(([field, value, param, message]) => [field, show(value), param, message, value] as const))(
    'refuses %s %s: %s %s',
    (field, _, param, message, value) => {
      const { data } = refusal({ ...once, [field]: value });
      expect(data).toMatchObject({ status: 400, type: 'invalid_request_error', param });
      expect(data.message).toContain(`${param} ${message}`);
    },
  );

  it.each(OWN_ACCEPTED.map(([field, value]) => [field, show(value).slice(0, 40), value] as const))(
    'accepts %s %s',
    (field, _, value) => {
      expect(check({ ...once, [field]: value })).toEqual({ ...once, [field]: value });
    },
  );

  it.each(['suffix', 'max_tokens', 'echo', 'best_of', 'logprobs', ...Object.keys(samplingEntries)])(
    'treats a null %s as absent',
    (field) => {
      expect(() => check({ ...once, [field]: null })).not.toThrow();
    },
  );

  it.each([[null], ['text'], [5]])('refuses the body %j, because it is not an object', (body) => {
    expect(refusal(body).data).toMatchObject({ param: null, message: 'The request body must be a JSON object.' });
  });
});

describe('the fields that completions share with chats', () => {
  const refused = REFUSED.filter(([field]) => isShared(field));
  const accepted = ACCEPTED.filter(([field]) => isShared(field));

  it('are all in the tables', () => {
    const tried = new Set(accepted.map(([field]) => field.split(/[.[]/)[0]));
    expect([...tried].sort()).toEqual(Object.keys(samplingEntries).sort());
  });

  it.each(refused.map(([field, value, message]) => [field, show(value), message, value] as const))(
    'are refused in the same way: %s %s: %s',
    (field, _, message, value) => {
      const { data } = refusal(withSharedField(field, value));
      expect(data.message).toContain(message);
      expect(data.param?.startsWith(field)).toBe(true);
    },
  );

  it.each(accepted.map(([field, value]) => [field, show(value), value] as const))(
    'are accepted in the same way: %s %s',
    (field, _, value) => {
      const body = withSharedField(field, value);
      expect(check(body)).toEqual(body);
    },
  );
});
