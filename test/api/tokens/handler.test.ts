import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { createContext, createFakeRunner, post, readJson } from '../fixtures.ts';

const runner = createFakeRunner(undefined, [], {
  tokenize: () => ({ tokens: [15, 7], pieces: ['Hel', 'lo'] }),
  detokenize: ({ tokens }) => ({ text: `<${tokens.join()}>` }),
});
const api = createApi(createContext({ runner }).context);
const ask = async (path: string, body: Record<string, unknown>) => {
  const reply = await api(post(path, { model: 'tiny', ...body }));
  return { status: reply.status, json: await readJson(reply) };
};
const lastQuestion = () => runner.questions.at(-1);

describe('tokenize', () => {
  it('lists the tokens of a text', async () => {
    expect(await ask('/v1/tokenize', { content: 'Hello' })).toEqual({ status: 200, json: { tokens: [15, 7] } });
    expect(lastQuestion()).toMatchObject({ kind: 'tokenize', question: { text: 'Hello', addSpecial: false } });
  });

  it('lists their texts too when asked to', async () => {
    const { json } = await ask('/v1/tokenize', { content: 'Hello', with_pieces: true });
    expect(json).toEqual({
      tokens: [
        { id: 15, piece: 'Hel' },
        { id: 7, piece: 'lo' },
      ],
    });
  });

  it('refuses a text of more tokens than a reply has, and a longer text without asking the engine', async () => {
    const many = createFakeRunner(undefined, [], {
      tokenize: ({ text }) => ({ tokens: Array(text.length).fill(1), pieces: Array(text.length).fill('a') }),
    });
    const asked = async (length: number) => {
      const reply = await createApi(createContext({ runner: many }).context)(
        post('/v1/tokenize', { model: 'tiny', content: 'a'.repeat(length) }),
      );
      return [reply.status, (await readJson(reply)).error?.code, many.questions.length];
    };
    expect(await asked(131_072)).toEqual([200, undefined, 1]);
    expect(await asked(131_073)).toEqual([400, 'too_many_tokens', 2]);
    expect(await asked(524_289)).toEqual([400, 'invalid_request', 2]);
  });

  it('adds the special tokens that a text begins or ends with when asked to', async () => {
    await ask('/v1/tokenize', { content: 'Hello', add_special: true });
    expect(lastQuestion()).toMatchObject({ question: { addSpecial: true } });
  });

  it.each([
    ['an empty text', { content: '' }],
    ['absent options as null', { content: 'x', add_special: null, with_pieces: null, parse_special: null }],
    ['what is always so', { content: 'x', parse_special: true }],
  ])('takes %s', async (_, body) => {
    expect((await ask('/v1/tokenize', body)).status).toBe(200);
  });

  it.each([
    ['model', undefined, 'is required'],
    ['content', undefined, 'is required'],
    ['content', ['x'], 'must be a string'],
    ['add_special', 1, 'must be a boolean'],
    ['parse_special', false, 'must be true'],
    ['with_pieces', 'yes', 'must be a boolean'],
  ])('is refused with %s %j: it %s', async (field, value, message) => {
    const { status, json } = await ask('/v1/tokenize', { content: 'x', [field]: value });
    expect(status).toBe(400);
    expect(json.error.param).toBe(field);
    expect(json.error.message).toContain(`${field} ${message}`);
  });
});

describe('detokenize', () => {
  it('gives the text of tokens', async () => {
    expect(await ask('/v1/detokenize', { tokens: [15, 7] })).toEqual({ status: 200, json: { content: '<15,7>' } });
  });

  it('takes no tokens at all', async () => {
    expect((await ask('/v1/detokenize', { tokens: [] })).status).toBe(200);
  });

  it.each([
    [undefined, 'tokens', 'is required'],
    ['15', 'tokens', 'must be an array of token ids'],
    [[15, 'x'], 'tokens[1]', 'must be an integer between 0 and 2147483647'],
    [[-1], 'tokens[0]', 'must be an integer between 0 and 2147483647'],
    [[0.5], 'tokens[0]', 'must be an integer between 0 and 2147483647'],
  ])('is refused with the tokens %j', async (tokens, param, message) => {
    const { status, json } = await ask('/v1/detokenize', { tokens });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { param, message: `${param} ${message}.` } });
  });
});

describe.each(['/v1/tokenize', '/v1/detokenize'])('%s', (path) => {
  it('is answered with 404 for an unknown model', async () => {
    expect((await ask(path, { model: 'nope', content: 'x', tokens: [1] })).status).toBe(404);
  });
});
