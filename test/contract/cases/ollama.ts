import { type ChatRequest, Ollama } from 'ollama';
import { expect } from 'vitest';
import { plainPng } from '../../kit/files/media.ts';
import type { ContractCase } from '../suite.ts';
import { getJson, openai, type Target, untilIdle } from '../target.ts';

/** The client of the ollama package, as its users make it. */
function ollama({ url, apiKey }: Target, key = apiKey): Ollama {
  return new Ollama({ host: url, headers: { authorization: `Bearer ${key}` } });
}

/** Greedy and short, so that replies can be compared. */
const options = { temperature: 0, num_predict: 16 };
const hello = [{ role: 'user', content: 'hello' }];
const short = { model: 'tiny', messages: hello, options } satisfies ChatRequest;

const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/** All parts of a stream. */
async function all<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const part of parts) list.push(part);
  return list;
}

const counts = (value: object) => {
  const { prompt_eval_count, eval_count } = value as Record<string, number>;
  return { prompt_eval_count, eval_count };
};

export const ollamaCases: ContractCase[] = [
  {
    name: 'answers the ollama client whole, and streams it the same, with the counts at the end',
    check: async (target) => {
      const client = ollama(target);
      const whole = await client.chat(short);
      expect(whole).toMatchObject({ model: 'tiny', done: true, done_reason: 'length', eval_count: 16 });
      expect(whole.message).toEqual({ role: 'assistant', content: expect.stringMatching(/./s) });
      expect(whole.total_duration).toBeGreaterThanOrEqual(whole.prompt_eval_duration + whole.eval_duration);
      const parts = await all(await client.chat({ ...short, stream: true }));
      expect(parts.map(({ message }) => message.content).join('')).toBe(whole.message.content);
      expect(parts.map(({ done }) => done)).toEqual([...Array(parts.length - 1).fill(false), true]);
      expect(parts.at(-1)).toMatchObject({ done_reason: 'length', message: { content: '' }, ...counts(whole) });
    },
  },
  {
    name: 'writes for Ollama what it writes for OpenAI, with the same counts',
    byApiAlone: true,
    check: async (target) => {
      const whole = await ollama(target).chat(short);
      const other = await openai(target).chat.completions.create({
        model: 'tiny',
        messages: [{ role: 'user', content: 'hello' }],
        temperature: 0,
        max_tokens: 16,
      });
      expect(whole.message.content).toBe(other.choices[0]?.message.content);
      expect(counts(whole)).toEqual({
        prompt_eval_count: other.usage?.prompt_tokens,
        eval_count: other.usage?.completion_tokens,
      });
    },
  },
  {
    name: 'takes the options that Ollama users have: sampling, seed, stop, and those that only say how to load',
    byApiAlone: true,
    check: async (target) => {
      const client = ollama(target);
      const reply = async (more: object) => (await client.chat({ ...short, options: { ...options, ...more } })).message;
      const warm = { temperature: 1, top_k: 0, num_ctx: 32_768, num_thread: 8, num_gpu: 99, num_keep: 24 };
      const first = await reply({ ...warm, seed: 1 });
      expect(await reply({ ...warm, seed: 1 })).toEqual(first);
      expect(await reply({ ...warm, seed: 2 })).not.toEqual(first);
      const { content } = await reply({});
      const stop = content.slice(4, 6);
      expect((await reply({ stop: ['', stop] })).content).toBe(content.slice(0, content.indexOf(stop)));
      await expect(reply({ temperature: 9 })).rejects.toMatchObject({
        status_code: 400,
        error: expect.stringContaining('options.temperature must be'),
      });
    },
  },
  {
    name: 'calls a tool for the ollama client, streamed and not, and takes its result',
    byApiAlone: true,
    check: async (target) => {
      const client = ollama(target);
      const question = { role: 'user', content: 'What is the weather in Oslo?' };
      const body = { model: 'pico', messages: [question], tools: [WEATHER], options: { temperature: 0 } };
      const { message, done_reason } = await client.chat(body);
      expect(done_reason).toBe('stop');
      expect(message.tool_calls).toMatchObject([{ function: { name: 'weather', arguments: { city: 'Oslo' } } }]);
      const parts = await all(await client.chat({ ...body, stream: true }));
      const calls = parts.flatMap((part) => part.message.tool_calls ?? []);
      expect(calls).toMatchObject([{ function: { name: 'weather', arguments: { city: 'Oslo' } } }]);
      const result = { role: 'tool', content: '{"celsius": 4}', tool_name: 'weather' };
      const answer = await client.chat({ ...body, messages: [question, message, result] });
      expect(answer.message.content).not.toBe('');
      expect(answer.prompt_eval_count).toBeGreaterThan(20);
    },
  },
  {
    name: 'replies JSON of the schema in format, and of any kind for json',
    byApiAlone: true,
    check: async (target) => {
      const client = ollama(target);
      const format = {
        type: 'object',
        properties: { kind: { enum: ['novel', 'play'] }, pages: { type: 'integer', minimum: 1, maximum: 900 } },
        required: ['kind', 'pages'],
        additionalProperties: false,
      };
      for (const stream of [false, true]) {
        const parts = stream
          ? await all(await client.chat({ model: 'tiny', messages: hello, format, stream: true }))
          : [await client.chat({ model: 'tiny', messages: hello, format })];
        expect(JSON.parse(parts.map(({ message }) => message.content).join(''))).toEqual({
          kind: expect.stringMatching(/^(novel|play)$/),
          pages: expect.any(Number),
        });
      }
      const { message } = await client.chat({ ...short, format: 'json' });
      expect(message.content.trimStart()).toMatch(/^\{/);
    },
  },
  {
    name: 'looks at the images of a message for the ollama client',
    byApiAlone: true,
    check: async (target) => {
      const client = ollama(target);
      const look = async (image: Uint8Array) => {
        const messages = [{ role: 'user', content: 'what?', images: [image] }];
        return client.chat({ model: 'tiny/vision/eye', messages, options });
      };
      const red = await look(plainPng([255, 0, 0]));
      const blue = await look(plainPng([0, 0, 255]));
      expect(red.message.content).not.toBe(blue.message.content);
      expect(red.prompt_eval_count).toBe(blue.prompt_eval_count);
      await expect(client.generate({ model: 'tiny', prompt: 'what?', images: ['AAAA'] })).rejects.toMatchObject({
        status_code: 400,
        error: expect.stringContaining('does not accept images'),
      });
    },
  },
  {
    name: 'generates from one prompt as it chats, and with raw without the chat template',
    byApiAlone: true,
    check: async (target) => {
      const client = ollama(target);
      const prompt = { model: 'tiny', prompt: 'hello', options };
      const whole = await client.generate(prompt);
      expect(whole).toMatchObject({ done: true, done_reason: 'length', context: [] });
      expect(whole.response).toBe((await client.chat(short)).message.content);
      const parts = await all(await client.generate({ ...prompt, stream: true }));
      expect(parts.map(({ response }) => response).join('')).toBe(whole.response);
      const raw = await client.generate({ ...prompt, raw: true });
      expect(raw.prompt_eval_count).toBeLessThan(whole.prompt_eval_count);
      expect(raw.response).not.toBe(whole.response);
    },
  },
  {
    name: 'makes the vectors for the ollama client that it makes for the openai client',
    check: async (target) => {
      const client = ollama(target);
      const input = ['one', 'two and three'];
      const { embeddings, prompt_eval_count, model } = await client.embed({ model: 'embed/mini', input });
      const other = await openai(target).embeddings.create({ model: 'embed/mini', input, encoding_format: 'float' });
      expect(embeddings).toEqual(other.data.map(({ embedding }) => embedding));
      expect(prompt_eval_count).toBe(other.usage.prompt_tokens);
      expect(model).toBe('embed/mini');
      const { embedding } = await client.embeddings({ model: 'embed/mini', prompt: 'one' });
      expect(embedding).toEqual(embeddings[0]);
      const long = client.embed({ model: 'embed/mini', input: 'word '.repeat(900), truncate: false });
      await expect(long).rejects.toMatchObject({ status_code: 400, error: expect.stringMatching(/\d+ tokens.*512/) });
    },
  },
  {
    name: 'lists and shows its models to the ollama client, with :latest and without',
    check: async (target) => {
      const client = ollama(target);
      const { models } = await client.list();
      const tiny = models.find(({ name }) => name === 'tiny');
      expect(tiny).toMatchObject({
        model: 'tiny',
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        details: { format: 'gguf', family: 'qwen2', families: ['qwen2'], parameter_size: '692K' },
      });
      expect(tiny?.size).toBeGreaterThan(1_000_000);
      for (const model of ['tiny', 'tiny:latest']) {
        const shown = await client.show({ model });
        expect(shown).toMatchObject({
          details: tiny?.details,
          template: expect.stringContaining('im_start'),
          model_info: { 'general.architecture': 'qwen2', 'qwen2.context_length': 1024 },
          capabilities: expect.arrayContaining(['completion']),
        });
      }
      expect((await client.show({ model: 'embed/mini' })).capabilities).toEqual(['embedding']);
      expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/);
    },
  },
  {
    name: 'loads a model for a request without messages, and lists it as running',
    check: async (target) => {
      const client = ollama(target);
      const loaded = await client.chat({ model: 'tiny:latest' });
      expect(loaded).toMatchObject({ model: 'tiny:latest', done: true, done_reason: 'load' });
      const { models } = await client.ps();
      const tiny = models.find(({ name }) => name === 'tiny');
      expect(tiny).toMatchObject({ context_length: 1024 });
      expect((tiny?.size_vram ?? 0) > 0).toBe(target.gpu ?? false);
      await untilIdle(target);
    },
  },
  {
    name: 'tells the ollama client what is wrong before a stream begins, in its own form',
    check: async (target) => {
      const client = ollama(target);
      const long = [{ role: 'user', content: 'q'.repeat(3000) }];
      const wrong: [request: () => Promise<unknown>, status_code: number, error: RegExp][] = [
        [() => client.chat({ ...short, messages: long, stream: true }), 400, /is 1024 tokens, the prompt has 30\d\d\./],
        [() => client.chat({ ...short, model: 'no-such', stream: true }), 404, /^model 'no-such' not found$/],
        [() => client.chat({ ...short, messages: [{ role: 'me', content: '' }] }), 400, /^messages\[0\]\.role must be/],
        [() => ollama(target, 'wrong').list(), 401, /The API key is not valid/],
        [() => client.push({ model: 'tiny' }), 501, /can not be copied, created or pushed/],
      ];
      for (const [request, status_code, error] of wrong)
        await expect(request()).rejects.toMatchObject({ status_code, error: expect.stringMatching(error) });
    },
  },
  {
    name: 'removes nothing for the ollama client that it must not, and pulls nothing without a place',
    check: async (target) => {
      const client = ollama(target);
      // The name is in the body of a DELETE.
      await expect(client.delete({ model: 'no-such' })).rejects.toMatchObject({ status_code: 404 });
      await expect(client.delete({ model: 'pico:latest' })).rejects.toMatchObject({
        status_code: 400,
        error: expect.stringContaining("'pico' comes with Paddock"),
      });
      await expect(client.pull({ model: 'llama3', stream: true })).rejects.toMatchObject({
        status_code: 400,
        error: expect.stringContaining('hf.co/org/repo'),
      });
      expect(await client.pull({ model: 'tiny' })).toEqual({ status: 'success' });
    },
  },
  {
    name: 'frees the slot of an ollama client that leaves its stream',
    check: async (target) => {
      const stream = await ollama(target).chat({ model: 'tiny', messages: hello, stream: true });
      for await (const _ of stream) break;
      stream.abort();
      await untilIdle(target);
      expect((await getJson(target, '/health')).status).toBe(200);
    },
  },
];
