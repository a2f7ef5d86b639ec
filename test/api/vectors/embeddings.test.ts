import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { errorBody } from '../../../src/api/http/dialect.ts';
import { overloaded } from '../../../src/contract/errors.ts';
import { REFUSED_INPUTS } from '../fields/text-input-cases.ts';
import { createContext, createFakeRunner, modelCard, post, readBody, readJson } from '../fixtures.ts';

const VECTOR = [0.6, 0, -0.8];

/** Makes the API over a chat model and an embedding model that answers every input with the same vector. */
function apiOver(vector = VECTOR) {
  const runner = createFakeRunner(undefined, [], {
    embed: ({ inputs }) => ({ vectors: inputs.map(() => vector), tokens: 7 }),
  });
  const cards = [modelCard({ id: 'embedder', settings: { embedding: true } }), modelCard({ id: 'chatter' })];
  return { api: createApi(createContext({ runner, cards }).context), runner };
}

const embeddings = (body: Record<string, unknown> = {}) =>
  post('/v1/embeddings', { model: 'embedder', input: 'Hello', ...body });

describe('embeddings', () => {
  it('are a list with a vector for each input, in order', async () => {
    const { api } = apiOver();
    const reply = await api(embeddings({ input: ['a', 'b'] }));
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(await readJson(reply)).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: VECTOR },
        { object: 'embedding', index: 1, embedding: VECTOR },
      ],
      model: 'embedder',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
  });

  it.each<[unknown, unknown[]]>([
    ['a', ['a']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [[1, 2], [[1, 2]]],
    [
      [[1, 2], [3]],
      [[1, 2], [3]],
    ],
  ])('ask the engine about the input %j', async (input, inputs) => {
    const { api, runner } = apiOver();
    expect((await api(embeddings({ input }))).status).toBe(200);
    expect(runner.questions).toMatchObject([{ modelId: 'embedder', kind: 'embed', question: { inputs } }]);
  });

  it('end when the client leaves', async () => {
    const { api, runner } = apiOver();
    const request = embeddings();
    await api(request);
    expect(runner.questions[0]?.signal).toBe(request.signal);
  });

  it('are base64 of little-endian 32-bit floats when asked to', async () => {
    const { api } = apiOver();
    const { data } = await readJson(await api(embeddings({ encoding_format: 'base64' })));
    const bytes = Buffer.from(data[0].embedding, 'base64');
    expect([0, 4, 8].map((offset) => bytes.readFloatLE(offset))).toEqual(VECTOR.map(Math.fround));
    expect(bytes).toHaveLength(12);
  });

  it.each([{}, { encoding_format: null }, { encoding_format: 'float' }, { dimensions: 3 }, { user: 'ann' }])(
    'are plain numbers with %j',
    async (body) => {
      const { api } = apiOver();
      expect((await readJson(await api(embeddings(body)))).data[0].embedding).toEqual(VECTOR);
    },
  );

  it('have as many dimensions as asked for, and length 1 again', async () => {
    const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(numbers, fc.nat(), async (vector, seed) => {
        const dimensions = 1 + (seed % (vector.length - 1));
        const { api } = apiOver(vector);
        const { embedding } = (await readJson(await api(embeddings({ dimensions })))).data[0];
        expect(embedding).toHaveLength(dimensions);
        const kept = vector.slice(0, dimensions);
        const length = Math.hypot(...kept);
        if (length > 1e-100) expect(Math.hypot(...embedding)).toBeCloseTo(1, 6);
        for (const [index, value] of kept.entries()) expect(embedding[index] * length).toBeCloseTo(value, 6);
      }),
      { numRuns: 30 },
    );
  });

  it('are shortened before they are encoded', async () => {
    const { api } = apiOver();
    const { data } = await readJson(await api(embeddings({ encoding_format: 'base64', dimensions: 1 })));
    expect(Buffer.from(data[0].embedding, 'base64').readFloatLE(0)).toBe(1);
  });

  it('are refused with more dimensions than the model has, with both numbers', async () => {
    const { api } = apiOver();
    const reply = await api(embeddings({ dimensions: 4 }));
    expect(reply.status).toBe(400);
    const { error } = await readJson(reply);
    expect(error).toMatchObject({ type: 'invalid_request_error', param: 'dimensions' });
    expect(error.message).toMatch(/4.*embedder.*3/);
  });

  it('are refused for a chat model, which is not even loaded', async () => {
    const { api, runner } = apiOver();
    const reply = await api(embeddings({ model: 'chatter' }));
    expect(reply.status).toBe(400);
    const { error } = await readJson(reply);
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'model_not_embedding', param: 'model' });
    expect(error.message).toContain('chatter');
    expect(runner.questions).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['a part', { input: [{ text: 'a' }, { image: 'https://x.example/a.png' }] }, 'input[1]'],
    ['one part alone', { input: { type: 'image_url', image_url: { url: 'a' } } }, 'input'],
    ['a data URI', { input: ['a', 'data:image/png;base64,AAAA'] }, 'input[1]'],
    ['a list of images', { input: 'a', images: ['data:image/png;base64,AAAA'] }, 'images'],
    ['messages', { messages: [{ role: 'user', content: [] }] }, 'messages'],
  ])('are refused of images in %s, and name the field', async (_, body, param) => {
    const { context } = createContext({ cards: [modelCard({ settings: { embedding: true } })] });
    const reply = await createApi(context)(post('/v1/embeddings', { model: 'tiny', ...body }));
    expect(reply.status).toBe(400);
    expect((await readJson(reply)).error).toMatchObject({ param, code: 'unsupported_content' });
  });

  it('are answered with 404 for an unknown model', async () => {
    const { api } = apiOver();
    expect((await api(embeddings({ model: 'nope' }))).status).toBe(404);
  });

  it("fail with the engine's error, without internals", async () => {
    for (const [error, body] of [
      [overloaded('full', 5), errorBody(overloaded('full', 5).data)],
      [new Error('secret'), { error: expect.objectContaining({ code: 'server_error' }) }],
    ] as const) {
      const runner = createFakeRunner(undefined, [], { embed: () => Promise.reject(error) });
      const cards = [modelCard({ id: 'embedder', settings: { embedding: true } })];
      const reply = await createApi(createContext({ runner, cards }).context)(embeddings());
      expect(reply.status).toBe(error instanceof Error && error.message === 'secret' ? 500 : 503);
      expect(JSON.parse(await readBody(reply))).toEqual(body);
    }
  });
});

describe('an embedding request', () => {
  const { api } = apiOver();

  it.each([
    ...REFUSED_INPUTS.map(([input, place, message]): [string, unknown, string, string] => [
      'input',
      input,
      `input${place}`,
      message,
    ]),
    ['input', Array(2049).fill('x'), 'input', 'must have at most 2048 texts'],
    ['model', undefined, 'model', 'is required'],
    ['model', '', 'model', 'must not be empty'],
    ['model', 5, 'model', 'must be a string'],
    ['encoding_format', 'int8', 'encoding_format', 'must be one of float, base64'],
    ['encoding_format', 5, 'encoding_format', 'must be one of float, base64'],
    ['dimensions', 0, 'dimensions', 'must be an integer of at least 1'],
    ['dimensions', 1.5, 'dimensions', 'must be an integer of at least 1'],
    ['dimensions', '3', 'dimensions', 'must be an integer of at least 1'],
    ['user', 5, 'user', 'must be a string'],
  ] as [string, unknown, string, string][])('is refused with %s %j: %s %s', async (field, value, param, message) => {
    const reply = await api(embeddings({ [field]: value }));
    expect(reply.status).toBe(400);
    const { error } = await readJson(reply);
    expect(error.param).toBe(param);
    expect(error.message).toContain(`${param} ${message}`);
  });

  it('may have as many inputs as OpenAI allows', async () => {
    const { data } = await readJson(await api(embeddings({ input: Array(2048).fill('x') })));
    expect(data).toHaveLength(2048);
  });

  it('may have more tokens than that', async () => {
    expect((await api(embeddings({ input: Array(5000).fill(1) }))).status).toBe(200);
  });
});
