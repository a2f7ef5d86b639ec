import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../../src/api/chat/schema.ts';
import { validate } from '../../../src/api/fields/fields.ts';
import { hello, refusalOf } from '../fixtures.ts';
import { ACCEPTED, OPTIONAL_FIELDS, REFUSED, withField } from './schema-cases.ts';

const check = (body: unknown) => validate(chatRequestSchema, body);

const refusal = (body: unknown) => refusalOf(chatRequestSchema, body);
const show = (value: unknown) => JSON.stringify(value) ?? 'nothing';

describe('chat request schema', () => {
  it.each(REFUSED.map(([field, value, message]) => [field, show(value), message, value] as const))(
    'refuses %s %s: %s',
    (field, _, message, value) => {
      const { data } = refusal(withField(field, value));
      expect(data).toMatchObject({ status: 400, type: 'invalid_request_error' });
      expect(data.message).toContain(message);
      expect(data.param?.startsWith(field)).toBe(true);
      expect(data.message.startsWith(`${data.param} `)).toBe(true);
      expect(data.message).not.toMatch(/Invalid (type|key|length|value)/);
    },
  );

  it.each(ACCEPTED.map(([field, value]) => [field, show(value), value] as const))(
    'accepts %s %s',
    (field, _, value) => {
      const body = withField(field, value);
      expect(check(body)).toEqual(body);
    },
  );

  it.each(OPTIONAL_FIELDS)('treats a null %s as absent', (field) => {
    expect(() => check({ ...hello, [field]: null })).not.toThrow();
  });

  it.each(['content', 'name', 'tool_calls', 'tool_call_id', 'reasoning_content', 'reasoning', 'refusal'])(
    'treats a null %s of a message as absent',
    (field) => {
      const message = { role: 'assistant', content: 'Hi', [field]: null };
      expect(() => check({ ...hello, messages: [message] })).not.toThrow();
    },
  );

  it('lets unknown fields pass', () => {
    expect(check({ ...hello, sparkle: 1 })).toHaveProperty('sparkle', 1);
  });

  it.each([[null], ['text'], [5], [true]])('refuses the body %j, because it is not an object', (body) => {
    expect(refusal(body).data).toMatchObject({ param: null, message: 'The request body must be a JSON object.' });
  });

  it('accepts a conversation with every kind of message', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } };
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Be very brief.' },
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }], name: 'ann' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] },
      { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [call] },
      { role: 'tool', content: '2', tool_call_id: 'call_1' },
    ];
    expect(check({ ...hello, messages }).messages).toEqual(messages);
  });
});
