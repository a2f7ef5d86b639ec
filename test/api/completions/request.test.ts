import { describe, expect, it } from 'vitest';
import { refuseContradictions, toCompletionGeneration, toPrompts } from '../../../src/api/completions/request.ts';
import { completionRequestSchema } from '../../../src/api/completions/schema.ts';
import { validate } from '../../../src/api/fields/fields.ts';
import type { ModelCard } from '../../../src/contract/models/model.ts';
import { modelCard } from '../fixtures.ts';
import { once } from './fixtures.ts';

const request = (body: Record<string, unknown> = {}) => validate(completionRequestSchema, { ...once, ...body });
const resolve = (body: Record<string, unknown> = {}, model: Partial<ModelCard> = {}) =>
  toCompletionGeneration(request(body), modelCard(model), ['banned']);
const refusal = (data: Record<string, unknown>) => expect.objectContaining({ data: expect.objectContaining(data) });

describe('prompts of a completion', () => {
  it.each<[unknown, unknown[]]>([
    ['a', [{ kind: 'text', text: 'a' }]],
    [
      ['a', 'b'],
      [
        { kind: 'text', text: 'a' },
        { kind: 'text', text: 'b' },
      ],
    ],
    [[1, 2], [{ kind: 'tokens', tokens: [1, 2] }]],
    [
      [[1], [2, 3]],
      [
        { kind: 'tokens', tokens: [1] },
        { kind: 'tokens', tokens: [2, 3] },
      ],
    ],
  ])('are texts or tokens: %j', (prompt, expected) => {
    expect(toPrompts(request({ prompt }))).toEqual(expected);
  });

  it.each(['the end', ''])('are gaps with the suffix %j', (suffix) => {
    expect(toPrompts(request({ suffix }))).toEqual([{ kind: 'infill', prefix: 'Once', suffix }]);
  });

  it('can not be tokens with a suffix', () => {
    expect(() => toPrompts(request({ prompt: [1, 2], suffix: 'x' }))).toThrow(
      refusal({ status: 400, param: 'suffix' }),
    );
  });
});

describe('generation of a completion', () => {
  it('has the defaults of the API contract, and 16 tokens', () => {
    const { sampling, ...rest } = resolve();
    expect(rest).toEqual({
      replyFormat: { kind: 'text' },
      stop: [],
      banned: ['banned'],
      maxTokens: 16,
      cachePrompt: true,
      choices: 1,
      logprobs: null,
    });
    expect(sampling).toMatchObject({ temperature: 0.7, topP: 0.95, topK: 40, repeatPenalty: 1.1, repeatLastN: 64 });
  });

  it('is what the request says', () => {
    const body = { max_tokens: 5, n: 3, logprobs: 0, stop: 'END', cache_prompt: false, temperature: 0, seed: 7 };
    expect(resolve(body)).toMatchObject({
      maxTokens: 5,
      choices: 3,
      logprobs: 0,
      stop: ['END'],
      cachePrompt: false,
      sampling: { temperature: 0, seed: 7 },
    });
  });

  it('has the defaults of the model where the request has no value', () => {
    const parameters = { max_tokens: 99, stop: ['</s>'], temperature: 0.2 };
    const byDefault = { maxTokens: 99, stop: ['</s>'], sampling: { temperature: 0.2 } };
    expect(resolve({}, { parameters })).toMatchObject(byDefault);
    expect(resolve({ max_tokens: null, stop: null, temperature: null }, { parameters })).toMatchObject(byDefault);
    expect(resolve({ max_tokens: 1, stop: [] }, { parameters })).toMatchObject({ maxTokens: 1, stop: [] });
  });

  it('asks for the logprobs of the prompt where it is echoed with logprobs', () => {
    expect(resolve({ echo: true, logprobs: 0 })).toMatchObject({ promptLogprobs: true, logprobs: 0 });
    for (const body of [{ echo: true }, { logprobs: 1 }, { echo: false, logprobs: 1 }]) {
      expect(resolve(body)).not.toHaveProperty('promptLogprobs');
    }
  });

  it('has no limit of tokens with -1, and takes n_predict for max_tokens', () => {
    expect(resolve({ max_tokens: -1 }).maxTokens).toBeNull();
    expect(resolve({ n_predict: -1 }).maxTokens).toBeNull();
    expect(resolve({ n_predict: 5 }).maxTokens).toBe(5);
    expect(resolve({ n_predict: 5, max_tokens: 6 }).maxTokens).toBe(6);
  });

  it('can be sent to other threads and processes', () => {
    const generation = resolve({ seed: 1, logit_bias: { 1: 2 } });
    expect(JSON.parse(JSON.stringify(generation))).toEqual(generation);
  });
});

describe('a completion request', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ best_of: 2 }, 'best_of'],
    [{ best_of: 2, n: 1 }, 'best_of'],
    [{ best_of: 1, n: 2 }, 'best_of'],
    [{ echo: true, logprobs: 0, suffix: 'x' }, 'logprobs'],
  ])('is refused if its fields can not be combined: %j', (body, param) => {
    expect(() => refuseContradictions(request(body))).toThrow(refusal({ status: 400, param }));
  });

  it.each([
    [{}],
    [{ best_of: 1 }],
    [{ best_of: 3, n: 3 }],
    [{ best_of: null, n: 2 }],
    [{ echo: true, logprobs: null }],
    [{ echo: true, logprobs: 0 }],
    [{ echo: true, suffix: 'x' }],
    [{ echo: false, logprobs: 1 }],
  ])('is accepted with %j', (body) => {
    expect(() => refuseContradictions(request(body))).not.toThrow();
  });
});
