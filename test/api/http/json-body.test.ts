import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { parseJsonBody } from '../../../src/api/http/json-body.ts';
import { createContext, post, readJson } from '../fixtures.ts';

const parse = (body: string) => parseJsonBody(post('/', body));

describe('a JSON body', () => {
  it('has halves of surrogate pairs replaced in texts and keys, and whole pairs kept', async () => {
    expect(await parse('{"a": ["x\\ud83dy", "\\ud83d\\ude00"], "k\\udc00": {"b": "\\uDFFF"}, "c": "fine"}')).toEqual({
      a: ['x\ufffdy', '😀'],
      'k\ufffd': { b: '\ufffd' },
      c: 'fine',
    });
  });

  it('may be such a half alone', async () => {
    expect(await parse('"\\ud83d"')).toBe('\ufffd');
  });

  it('keeps what it says of __proto__ to itself', async () => {
    const value = await parse('{"__proto__": {"polluted": "\\ud83d"}}');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect((value as { polluted?: string }).polluted).toBeUndefined();
  });

  it('of megabytes of such halves is mended', async () => {
    const value = (await parse(`["${'\\ud83d'.repeat(1_000_000)}"]`)) as string[];
    expect(value[0]).toBe('\ufffd'.repeat(1_000_000));
  });
});

const list = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join();
/** As `list`, but of one item, and fast for millions of them. */
const same = (count: number, item: string) => `${item},`.repeat(count - 1) + item;
const chat = (more: string) => `{"model":"tiny","messages":[{"role":"user","content":"hi"}],${more}}`;

describe('a hostile body', () => {
  const api = createApi(createContext().context);

  it.each<[string, () => string, string]>([
    ['1.6 million keys', () => chat(list(1_600_000, (index) => `"${index.toString(36)}":0`)), 'body_too_many_values'],
    ['31 MB of {}', () => chat(`"metadata":[${same(10_400_000, '{}')}]`), 'body_too_many_values'],
    [
      '31 MB of {} as messages',
      () => `{"model":"tiny","messages":[${same(10_400_000, '{}')}]}`,
      'body_too_many_values',
    ],
    [
      'a logit_bias of 2.6 million keys',
      () => chat(`"logit_bias":{${list(2_600_000, (i) => `"${i}":1`)}}`),
      'body_too_many_values',
    ],
    [
      '7.5 million texts and half a surrogate pair',
      () => `["\\ud83d",${same(7_500_000, '"x"')}]`,
      'body_too_many_values',
    ],
    ['lists nested 15 million deep', () => `${'['.repeat(15_000_000)}${']'.repeat(15_000_000)}`, 'body_too_deep'],
    [
      'template arguments nested 4,000 deep',
      () => chat(`"chat_template_kwargs":{"a":${'['.repeat(4000)}${']'.repeat(4000)}}`),
      'body_too_deep',
    ],
    ['long keys', () => chat(`"${'k'.repeat(30_000_000)}":1`), 'body_key_too_long'],
  ])('of %s is refused before it is parsed', { tags: 'slow' }, async (_, makeBody, code) => {
    const reply = await api(post('/v1/chat/completions', makeBody()));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { type: 'invalid_request_error', code, param: null } });
  });

  it.each<[string, string]>([
    ['messages', `{"model":"tiny","messages":[${list(10_001, () => '{"role":"user"}')}]}`],
    [
      'messages[0].content',
      `{"model":"tiny","messages":[{"role":"user","content":[${list(4097, () => '{"type":"text","text":""}')}]}]}`,
    ],
    [
      'messages[0].tool_calls',
      `{"model":"tiny","messages":[{"role":"assistant","tool_calls":[${list(1025, () => '{}')}]}]}`,
    ],
    ['tools', chat(`"tools":[${list(1025, () => '{}')}]`)],
    ['stop', chat(`"stop":[${list(40_000, () => '"x"')}]`)],
  ])('with too many items in %s is refused with the number that it may have', async (param, body) => {
    const reply = await api(post('/v1/chat/completions', body));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { param, message: expect.stringMatching(/at most \d+ /) } });
  });
});
