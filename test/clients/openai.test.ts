import OpenAI, { AuthenticationError, BadRequestError, NotFoundError } from 'openai';
import { describe, expect, it } from 'vitest';
import { collect } from '../api/fixtures.ts';
import { API_KEY, servePaddock } from './paddock.ts';

const baseURL = await servePaddock();
const client = new OpenAI({ baseURL, apiKey: API_KEY });
const question = {
  model: 'tiny',
  messages: [{ role: 'user' as const, content: 'hello' }],
  temperature: 0,
  seed: 1,
  max_completion_tokens: 16,
};

describe('the openai client', () => {
  it('gets a chat completion', async () => {
    const completion = await client.chat.completions.create(question);
    expect(completion).toMatchObject({ object: 'chat.completion', model: 'tiny' });
    expect(completion.choices).toHaveLength(1);
    const [choice] = completion.choices;
    expect(choice).toMatchObject({ index: 0, finish_reason: 'length', message: { role: 'assistant' } });
    expect(choice?.message.content).not.toBe('');
    expect(completion.usage?.completion_tokens).toBe(16);
    expect(completion.usage?.total_tokens).toBe(16 + (completion.usage?.prompt_tokens ?? 0));
  });

  it('hears from a model whose id has a slash that it has ended its turn', async () => {
    const body = { ...question, model: 'shelf/brief', max_completion_tokens: 500 };
    const completion = await client.chat.completions.create(body);
    expect(completion.model).toBe('shelf/brief');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
  });

  it('streams what it gets whole, and the usage last', async () => {
    const whole = await client.chat.completions.create(question);
    const stream = await client.chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await collect(stream);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(content).toBe(whole.choices[0]?.message.content);
    const reasons = chunks.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason));
    expect(reasons.filter((reason) => reason !== null)).toEqual(['length']);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 16 } });
  });

  it('leaves a stream midway and goes on with the next request', async () => {
    const stream = await client.chat.completions.create({ ...question, max_completion_tokens: 900, stream: true });
    for await (const _ of stream) break;
    expect(stream.controller.signal.aborted).toBe(true);
    expect((await client.chat.completions.create(question)).choices).toHaveLength(1);
  });

  it('puts a stream together with its .stream() helper', async () => {
    const whole = await client.chat.completions.create(question);
    const deltas: string[] = [];
    const stream = client.chat.completions.stream(question).on('content', (delta) => deltas.push(delta));
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
    expect(completion.choices[0]?.finish_reason).toBe('length');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(whole.choices[0]?.message.content);
  });

  it('gets n choices, whole and streamed alike', async () => {
    const body = { ...question, temperature: 1, n: 3 };
    const { choices } = await client.chat.completions.create(body);
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    const contents = choices.map(({ message }) => message.content);
    expect(new Set(contents).size).toBe(3);
    const streamed = ['', '', ''];
    for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) {
      for (const { index, delta } of chunk.choices) streamed[index] += delta.content ?? '';
    }
    expect(streamed).toEqual(contents);
  });

  it('gets logprobs whose greedy token is the first of its alternatives, whole and streamed alike', async () => {
    // Without a penalty the greedy token is the likeliest.
    const body = { ...question, repeat_penalty: 1, logprobs: true, top_logprobs: 3 };
    const whole = await client.chat.completions.create(body);
    const tokens = whole.choices[0]?.logprobs?.content ?? [];
    expect(tokens).toHaveLength(16);
    expect(tokens.map(({ token }) => token).join('')).toBe(whole.choices[0]?.message.content);
    for (const { token, logprob, top_logprobs } of tokens) {
      expect(top_logprobs).toHaveLength(3);
      expect(top_logprobs[0]).toMatchObject({ token, logprob });
      expect(logprob).toBeLessThan(0);
      const likelihoods = top_logprobs.map((top) => top.logprob);
      expect(likelihoods).toEqual(likelihoods.toSorted((a, b) => b - a));
    }
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    expect(streamed.choices[0]?.logprobs?.content?.map(({ token }) => token)).toEqual(tokens.map(({ token }) => token));
  });

  it('stops before a stop sequence', async () => {
    const whole = (await client.chat.completions.create(question)).choices[0]?.message.content ?? '';
    const stop = whole.slice(4, 6);
    const { choices } = await client.chat.completions.create({ ...question, stop });
    expect(choices[0]?.message.content).toBe(whole.slice(0, whole.indexOf(stop)));
    expect(choices[0]?.finish_reason).toBe('stop');
  });

  it('continues a prompt through the older completions endpoint', async () => {
    const body = { model: 'tiny', prompt: 'Once upon', temperature: 0, max_tokens: 8 };
    const whole = await client.completions.create(body);
    expect(whole.choices[0]).toMatchObject({ index: 0, finish_reason: 'length' });
    const chunks = await collect(await client.completions.create({ ...body, stream: true }));
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(whole.choices[0]?.text);
  });

  it('lists the models and retrieves each', async () => {
    const models = await collect(client.models.list());
    expect(models.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['embed/mini', 'rerank/mini', 'shelf/brief', 'tiny']),
    );
    for (const { id } of models) {
      expect(await client.models.retrieve(id)).toMatchObject({ id, object: 'model' });
    }
  });

  it('throws the error class of each status', async () => {
    const stranger = new OpenAI({ baseURL, apiKey: 'wrong' });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(AuthenticationError);
    const unknown = client.chat.completions.create({ ...question, model: 'none' });
    await expect(unknown).rejects.toBeInstanceOf(NotFoundError);
    const hot = client.chat.completions.create({ ...question, temperature: 3, stream: true });
    await expect(hot).rejects.toMatchObject({ status: 400, param: 'temperature', type: 'invalid_request_error' });
    const embedding = client.embeddings.create({ model: 'tiny', input: 'hello' });
    await expect(embedding).rejects.toBeInstanceOf(BadRequestError);
    await expect(embedding).rejects.toMatchObject({ code: 'model_not_embedding', param: 'model' });
  });
});
