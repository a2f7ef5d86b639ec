import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../../src/core/api/chat-schema.ts';
import { validate } from '../../../src/core/api/fields.ts';
import { toGenerationRequest } from '../../../src/core/api/generation-request.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { ModelCard } from '../../../src/core/model.ts';
import { hello, modelCard } from './fixtures.ts';

const resolve = (body: Record<string, unknown> = {}, model: Partial<ModelCard> = {}) =>
  toGenerationRequest(validate(chatRequestSchema, { ...hello, ...body }), modelCard(model));

describe('generation request', () => {
  it('has the defaults of the API contract', () => {
    const request = resolve();
    expect(request).toMatchObject({ stop: [], maxTokens: null, cachePrompt: true, templateKwargs: {} });
    expect(request.sampling).toMatchObject({
      temperature: 0.7,
      topP: 0.95,
      topK: 40,
      minP: 0,
      presencePenalty: 0,
      frequencyPenalty: 0,
      repeatPenalty: 1.1,
      repeatLastN: 64,
      typicalP: 1,
      dynatempRange: 0,
      mirostat: 0,
      logitBias: [],
    });
  });

  it.each<[field: string, value: unknown, name: string]>([
    ['temperature', 0, 'temperature'],
    ['top_p', 0.5, 'topP'],
    ['top_k', 0, 'topK'],
    ['min_p', 0.1, 'minP'],
    ['typical_p', 0.9, 'typicalP'],
    ['repeat_penalty', 1, 'repeatPenalty'],
    ['repeat_last_n', -1, 'repeatLastN'],
    ['presence_penalty', -2, 'presencePenalty'],
    ['frequency_penalty', 2, 'frequencyPenalty'],
    ['dynatemp_range', 0.5, 'dynatempRange'],
    ['dynatemp_exponent', 2, 'dynatempExponent'],
    ['mirostat', 2, 'mirostat'],
    ['mirostat_tau', 4, 'mirostatTau'],
    ['mirostat_eta', 0.2, 'mirostatEta'],
    ['seed', 42, 'seed'],
  ])('takes %s from the request', (field, value, name) => {
    expect(resolve({ [field]: value }).sampling).toHaveProperty(name, value);
  });

  it('takes the bias of tokens from the request', () => {
    expect(resolve({ logit_bias: { 5: -100, 17: 2.5 } }).sampling.logitBias).toEqual([
      [5, -100],
      [17, 2.5],
    ]);
  });

  it('lets the request win over the model, its parameters over its settings, and those over the defaults', () => {
    const model = {
      settings: { embedding: false, temperature: 0.1, top_k: 1, repeat_penalty: 1.3, min_p: 0.2 },
      parameters: { temperature: 0.2, top_p: 0.3, presence_penalty: 0.4, frequency_penalty: 0.5 },
    };
    const expected = { topP: 0.3, topK: 1, minP: 0.2, repeatPenalty: 1.3, presencePenalty: 0.4, frequencyPenalty: 0.5 };
    expect(resolve({}, model).sampling).toMatchObject({ ...expected, temperature: 0.2 });
    expect(resolve({ temperature: 0 }, model).sampling).toMatchObject({ ...expected, temperature: 0 });
    expect(resolve({ temperature: null }, model).sampling).toMatchObject({ ...expected, temperature: 0.2 });
  });

  it('takes a negative top_k for every token', () => {
    expect(resolve({ top_k: -1 }).sampling.topK).toBe(0);
  });

  it('takes a single stop sequence or several', () => {
    expect(resolve({ stop: 'END' }).stop).toEqual(['END']);
    expect(resolve({ stop: ['a', 'b'] }).stop).toEqual(['a', 'b']);
  });

  it("stops at the model's sequences when the request names none", () => {
    const model = { parameters: { stop: ['</s>'] } };
    expect(resolve({}, model).stop).toEqual(['</s>']);
    expect(resolve({ stop: 'END' }, model).stop).toEqual(['END']);
    expect(resolve({ stop: [] }, model).stop).toEqual([]);
  });

  it('has no cap on tokens but the one that is asked for', () => {
    expect(resolve({ max_tokens: 5 }).maxTokens).toBe(5);
    expect(resolve({ max_completion_tokens: 6 }).maxTokens).toBe(6);
    expect(resolve({ max_tokens: 5, max_completion_tokens: 6 }).maxTokens).toBe(6);
    expect(resolve({ max_tokens: null }).maxTokens).toBeNull();
    expect(resolve({}, { parameters: { max_tokens: 7 } }).maxTokens).toBe(7);
  });

  it('passes on the variables of the template and whether the cache may be used', () => {
    expect(resolve({ chat_template_kwargs: { a: 1 }, cache_prompt: false })).toMatchObject({
      templateKwargs: { a: 1 },
      cachePrompt: false,
    });
  });

  it('makes any integer an unsigned 32-bit seed, the same one every time', () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger().filter((seed) => seed !== -1),
        (seed) => {
          const resolved = resolve({ seed }).sampling.seed;
          expect(resolved).toBe(Number(((BigInt(seed) % 2n ** 32n) + 2n ** 32n) % 2n ** 32n));
        },
      ),
    );
  });

  it.each([[undefined], [null], [-1]])('draws a random seed for the seed %s', (seed) => {
    const seeds = Array.from({ length: 8 }, () => resolve({ seed }).sampling.seed);
    expect(new Set(seeds).size).toBeGreaterThan(1);
    expect(seeds.every((drawn) => Number.isInteger(drawn) && drawn >= 0 && drawn < 2 ** 32)).toBe(true);
  });

  it('survives the way across threads and processes', () => {
    const request = resolve({ seed: 1, logit_bias: { 1: 2 }, chat_template_kwargs: { a: [1] } });
    expect(JSON.parse(JSON.stringify(request))).toEqual(request);
  });
});

describe('messages of a generation', () => {
  const messagesOf = (messages: unknown[], model: Partial<ModelCard> = {}) => resolve({ messages }, model).messages;

  it('take a developer for the system', () => {
    expect(messagesOf([{ role: 'developer', content: 'Be brief.' }])).toEqual([
      { role: 'system', content: 'Be brief.' },
    ]);
  });

  it('keep names, tool calls and the ids that they answer', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } };
    const messages = [
      { role: 'user', content: 'x', name: 'ann' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: '4', tool_call_id: 'call_1' },
    ];
    expect(messagesOf(messages)).toEqual(messages);
  });

  it('take a null for an absent field', () => {
    const message = { role: 'assistant', content: 'x', name: null, tool_calls: null, tool_call_id: null };
    expect(messagesOf([message])).toEqual([{ role: 'assistant', content: 'x' }]);
  });

  it("begin with the model's system prompt when the conversation has none", () => {
    const model = { settings: { embedding: false, system_prompt: 'You are kind.' } };
    const user = { role: 'user', content: 'x' };
    expect(messagesOf([user], model)).toEqual([{ role: 'system', content: 'You are kind.' }, user]);
    const own = { role: 'system', content: 'Be brief.' };
    expect(messagesOf([own, user], model)).toEqual([own, user]);
    expect(messagesOf([{ ...own, role: 'developer' }, user], model)).toEqual([own, user]);
  });

  it('join the text parts of a content as they are', () => {
    const content = [
      { type: 'text', text: 'one ' },
      { type: 'text', text: 'two' },
    ];
    expect(messagesOf([{ role: 'user', content }])).toEqual([{ role: 'user', content: 'one two' }]);
    expect(messagesOf([{ role: 'user', content: [] }])).toEqual([{ role: 'user', content: '' }]);
  });

  it.each([
    ['images', { type: 'image_url', image_url: { url: 'https://x.example/y.png' } }],
    ['audio', { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }],
  ])('are refused with %s that the model cannot take', (modality, part) => {
    const content = [{ type: 'text', text: 'x' }, part];
    const refused = () =>
      messagesOf([
        { role: 'system', content: 'x' },
        { role: 'user', content },
      ]);
    expect(refused).toThrow(ApiError);
    expect(refused).toThrow(modality);
    expect(refused).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ status: 400, param: 'messages[1].content[1]' }) }),
    );
  });
});
