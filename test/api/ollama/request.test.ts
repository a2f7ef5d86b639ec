import { describe, expect, it } from 'vitest';
import { validate } from '../../../src/api/fields/fields.ts';
import { toGenerationRequest } from '../../../src/api/generation/request.ts';
import { toOllamaConversation } from '../../../src/api/ollama/request.ts';
import { chatSchema } from '../../../src/api/ollama/schema.ts';
import { modelCard } from '../fixtures.ts';

function generationOf(body: Record<string, unknown>, model = modelCard()) {
  const messages = [{ role: 'user', content: 'Hello' }];
  return toGenerationRequest(
    toOllamaConversation(validate(chatSchema, { model: 'tiny', messages, ...body }), model),
    model,
    [],
  );
}

describe('LoRA adapters', () => {
  it('are a field beside options', () => {
    const model = modelCard({ settings: { embedding: false, lora: [{ id: 'style', scale: 0 }] } });
    expect(generationOf({ lora: [{ id: 0, scale: 2 }] }, model).lora).toEqual([{ name: 'style', scale: 2 }]);
    expect(generationOf({}, model)).not.toHaveProperty('lora');
  });
});

describe('options', () => {
  it('say how tokens are chosen', () => {
    const sampling = {
      temperature: 0.5,
      top_k: 20,
      top_p: 0.9,
      min_p: 0.1,
      typical_p: 0.8,
      repeat_penalty: 1.2,
      repeat_last_n: 33,
      presence_penalty: 0.3,
      frequency_penalty: 0.4,
      mirostat: 1,
      mirostat_tau: 4,
      mirostat_eta: 0.2,
      seed: 42,
    };
    expect(generationOf({ options: sampling }).sampling).toMatchObject({
      temperature: 0.5,
      topK: 20,
      topP: 0.9,
      minP: 0.1,
      typicalP: 0.8,
      repeatPenalty: 1.2,
      repeatLastN: 33,
      presencePenalty: 0.3,
      frequencyPenalty: 0.4,
      mirostat: 1,
      mirostatTau: 4,
      mirostatEta: 0.2,
      seed: 42,
    });
  });

  it('leave what they do not say to the model', () => {
    const model = modelCard({ parameters: { temperature: 0.2, max_tokens: 77, stop: ['X'] } });
    for (const options of [undefined, null, {}, { temperature: null, stop: null, num_predict: null }]) {
      expect(generationOf({ options }, model)).toMatchObject({
        sampling: { temperature: 0.2 },
        maxTokens: 77,
        stop: ['X'],
      });
    }
  });

  it.each([
    [5, 5],
    [0, null],
    [-1, null],
    [-2, null],
  ])('limit the reply by num_predict: %s', (num_predict, expected) => {
    const model = modelCard({ parameters: { max_tokens: 77 } });
    expect(generationOf({ options: { num_predict } }, model).maxTokens).toBe(expected);
  });

  it('take a stop sequence or many, and leave out empty ones', () => {
    expect(generationOf({ options: { stop: 'END' } }).stop).toEqual(['END']);
    expect(generationOf({ options: { stop: ['a', '', 'b', 'c', 'd', 'e', 'f'] } }).stop).toHaveLength(6);
  });

  it('that say how a model is loaded are taken: they can not change a reply', () => {
    const options = { num_ctx: 32_768, num_gpu: 99, num_thread: 8, num_batch: 512, num_keep: 4, use_mmap: true };
    expect(generationOf({ options }).sampling).toEqual({
      ...generationOf({}).sampling,
      seed: expect.any(Number),
    });
  });

  it('can not ask for what only other dialects have', () => {
    const request = generationOf({ options: { n: 5, logit_bias: { 1: 100 }, cache_prompt: false } });
    expect(request).toMatchObject({ choices: 1, cachePrompt: true, sampling: { logitBias: [] } });
  });

  it.each([
    [{ penalize_newline: false }, 'options.penalize_newline must be true'],
    [{ tfs_z: 0.5 }, 'options.tfs_z must be 1'],
    [{ num_predict: -3 }, 'options.num_predict must be an integer of at least -2'],
    [{ top_p: 2 }, 'options.top_p must be a number between 0 and 1'],
    [[], 'options must be an object'],
  ])('that would change the reply otherwise are refused by name: %j', (options, message) => {
    expect(() => generationOf({ options })).toThrow(message);
  });
});

describe('format', () => {
  it.each([
    [undefined, { kind: 'text' }],
    ['', { kind: 'text' }],
    ['json', { kind: 'json' }],
    [{ type: 'object' }, { kind: 'schema', schema: { type: 'object' }, param: 'format' }],
  ])('%j is %j', (format, replyFormat) => {
    expect(generationOf({ format }).replyFormat).toEqual(replyFormat);
  });

  it.each(['xml', 5, ['json']])('can not be %j', (format) => {
    expect(() => generationOf({ format })).toThrow('format must be "json" or an object that is a JSON schema');
  });
});

describe('tools', () => {
  it('are shown to the model, which may call them', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [
      { type: 'function', function: { name: 'weather', description: 'of a city', parameters } },
      { function: { name: 'end' } },
    ];
    expect(generationOf({ tools }).prompt).toMatchObject({
      tools: [{ name: 'weather', description: 'of a city', parameters }, { name: 'end' }],
      toolChoice: 'auto',
    });
    expect(generationOf({ tools: [] }).prompt).toMatchObject({ tools: [], toolChoice: 'none' });
  });
});
