import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatGeneration, hello } from '../fixtures.ts';

const functionTool = { type: 'function', function: { name: 'add' } };

const resolve = chatGeneration;

describe('generation request', () => {
  it('has the defaults of the API contract', () => {
    const request = resolve();
    expect(request).toMatchObject({
      prompt: {
        kind: 'chat',
        messages: hello.messages,
        tools: [],
        toolChoice: 'none',
        parallelToolCalls: true,
        templateKwargs: {},
      },
      replyFormat: { kind: 'text' },
      stop: [],
      banned: [],
      maxTokens: null,
      cachePrompt: true,
      choices: 1,
      logprobs: null,
    });
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
    ['dry_multiplier', 0.8, 'dryMultiplier'],
    ['dry_base', 2, 'dryBase'],
    ['dry_allowed_length', 0, 'dryAllowedLength'],
    ['dry_penalty_last_n', -1, 'dryPenaltyLastN'],
    ['dry_sequence_breakers', ['.'], 'dryBreakers'],
    ['xtc_probability', 1, 'xtcProbability'],
    ['xtc_threshold', 0.5, 'xtcThreshold'],
    ['top_n_sigma', 1.5, 'topNSigma'],
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

  it('prefers the request to the model, the parameters of the model to its settings, and these to the defaults', () => {
    const model = {
      settings: { embedding: false, temperature: 0.1, top_k: 1, repeat_penalty: 1.3, min_p: 0.2 },
      parameters: { temperature: 0.2, top_p: 0.3, presence_penalty: 0.4, frequency_penalty: 0.5 },
    };
    const expected = { topP: 0.3, topK: 1, minP: 0.2, repeatPenalty: 1.3, presencePenalty: 0.4, frequencyPenalty: 0.5 };
    expect(resolve({}, model).sampling).toMatchObject({ ...expected, temperature: 0.2 });
    expect(resolve({ temperature: 0 }, model).sampling).toMatchObject({ ...expected, temperature: 0 });
    expect(resolve({ temperature: null }, model).sampling).toMatchObject({ ...expected, temperature: 0.2 });
  });

  it('takes a negative top_k to mean every token', () => {
    expect(resolve({ top_k: -1 }).sampling.topK).toBe(0);
  });

  it('takes a single stop sequence or several', () => {
    expect(resolve({ stop: 'END' }).stop).toEqual(['END']);
    expect(resolve({ stop: ['a', 'b'] }).stop).toEqual(['a', 'b']);
  });

  it('stops at the sequences of the model if the request has none', () => {
    const model = { parameters: { stop: ['</s>'] } };
    expect(resolve({}, model).stop).toEqual(['</s>']);
    expect(resolve({ stop: 'END' }, model).stop).toEqual(['END']);
    expect(resolve({ stop: [] }, model).stop).toEqual([]);
  });

  it('has no limit of tokens unless one is asked for', () => {
    expect(resolve({ max_tokens: 5 }).maxTokens).toBe(5);
    expect(resolve({ max_completion_tokens: 6 }).maxTokens).toBe(6);
    expect(resolve({ max_tokens: 5, max_completion_tokens: 6 }).maxTokens).toBe(6);
    expect(resolve({ max_tokens: null }).maxTokens).toBeNull();
    expect(resolve({}, { parameters: { max_tokens: 7 } }).maxTokens).toBe(7);
  });

  it('takes -1 for no limit, and n_predict for max_tokens', () => {
    const model = { parameters: { max_tokens: 7 } };
    for (const field of ['max_tokens', 'max_completion_tokens', 'n_predict']) {
      expect(resolve({ [field]: -1 }, model).maxTokens).toBeNull();
      expect(resolve({ [field]: 3 }, model).maxTokens).toBe(3);
    }
    expect(resolve({ n_predict: 3, max_tokens: 5 }).maxTokens).toBe(5);
    expect(resolve({ n_predict: 3, max_tokens: null }).maxTokens).toBe(3);
    expect(resolve({ n_predict: null }, model).maxTokens).toBe(7);
  });

  it('passes on the variables of the template and whether the cache may be used', () => {
    expect(resolve({ chat_template_kwargs: { a: 1 }, cache_prompt: false })).toMatchObject({
      prompt: { templateKwargs: { a: 1 } },
      cachePrompt: false,
    });
  });

  it('has the requested number of choices', () => {
    expect(resolve({ n: 8 }).choices).toBe(8);
    expect(resolve({ n: null }).choices).toBe(1);
  });

  it('has logprobs only if asked to, with the requested number of alternatives', () => {
    expect(resolve({ logprobs: true }).logprobs).toBe(0);
    expect(resolve({ logprobs: true, top_logprobs: 20 }).logprobs).toBe(20);
    expect(resolve({ logprobs: false, top_logprobs: 0 }).logprobs).toBeNull();
  });

  it("bans the texts of the server's filter", () => {
    expect(resolve({}, {}, ['secret', 'other']).banned).toEqual(['secret', 'other']);
  });

  it.each<[format: unknown, expected: unknown]>([
    [null, { kind: 'text' }],
    [{ type: 'text' }, { kind: 'text' }],
    [{ type: 'json_object' }, { kind: 'json' }],
    [
      { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'array' } } },
      { kind: 'schema', schema: { type: 'array' }, param: 'response_format.json_schema.schema' },
    ],
    [
      { type: 'json_schema', json_schema: { name: 'x' } },
      { kind: 'schema', schema: {}, param: 'response_format.json_schema.schema' },
    ],
  ])('takes the response format %j', (format, expected) => {
    expect(resolve({ response_format: format }).replyFormat).toEqual(expected);
  });

  it.each<[body: object, param: string]>([
    [{ guided_json: { type: 'array' } }, 'guided_json'],
    [{ structured_outputs: { json: { type: 'array' } } }, 'structured_outputs.json'],
  ])('takes the schema of %j', (body, param) => {
    expect(resolve({ ...body }).replyFormat).toEqual({ kind: 'schema', schema: { type: 'array' }, param });
    expect(resolve({ ...body, response_format: { type: 'text' } }).replyFormat).toMatchObject({ param });
  });

  it.each<[body: object, expected: object]>([
    [{ grammar: 'root ::= "a"' }, { kind: 'grammar', grammar: 'root ::= "a"', param: 'grammar' }],
    [{ guided_grammar: 'root ::= "a"' }, { kind: 'grammar', grammar: 'root ::= "a"', param: 'guided_grammar' }],
    [{ guided_regex: 'a+' }, { kind: 'pattern', pattern: 'a+', param: 'guided_regex' }],
    [{ guided_choice: ['a', 'b'] }, { kind: 'choice', texts: ['a', 'b'], param: 'guided_choice' }],
    [
      { structured_outputs: { grammar: 'root ::= "a"' } },
      { kind: 'grammar', grammar: 'root ::= "a"', param: 'structured_outputs.grammar' },
    ],
    [{ structured_outputs: { regex: 'a+' } }, { kind: 'pattern', pattern: 'a+', param: 'structured_outputs.regex' }],
    [{ structured_outputs: { choice: ['a'] } }, { kind: 'choice', texts: ['a'], param: 'structured_outputs.choice' }],
    [
      { guided_choice: ['a'], tools: [functionTool], tool_choice: 'none' },
      { kind: 'choice', texts: ['a'], param: 'guided_choice' },
    ],
    [{ grammar: '' }, { kind: 'text' }],
  ])('takes the form of %j', (body, expected) => {
    expect(resolve({ ...body }).replyFormat).toEqual(expected);
  });

  it.each<[body: object, budget: number | undefined]>([
    [{ thinking_budget: 100 }, 100],
    [{ thinking_budget_tokens: 0 }, 0],
    [{ reasoning_budget: 7 }, 7],
    [{ reasoning_budget_tokens: 8, reasoning_budget: 7 }, 8],
    [{ thinking_token_budget: 9 }, 9],
    [{ reasoning: { max_tokens: 100 } }, 100],
    [{ thinking: { type: 'enabled', budget_tokens: 100 } }, 100],
    [{ thinking_budget: -1, reasoning: { max_tokens: 100 } }, undefined],
    [{ thinking_budget: -1 }, undefined],
    [{}, undefined],
  ])('limits the reasoning as in %j', (body, budget) => {
    expect(resolve({ ...body }).thinkingBudget).toBe(budget);
  });

  it.each([
    ['enabled', true],
    ['disabled', false],
    ['auto', undefined],
  ])('takes thinking of type %s for the switch %s', (type, enable_thinking) => {
    const expected = enable_thinking === undefined ? {} : { enable_thinking };
    expect(resolve({ thinking: { type } }).prompt).toHaveProperty('templateKwargs', expected);
  });

  it('turns the reasoning off where it may have no token', () => {
    expect(resolve({ thinking_budget: 0 }).prompt).toMatchObject({ templateKwargs: { enable_thinking: false } });
  });

  it('takes structured_outputs.json_object for any JSON object, and an empty one for nothing', () => {
    expect(resolve({ structured_outputs: { json_object: true } }).replyFormat).toEqual({ kind: 'json' });
    expect(resolve({ structured_outputs: {} }).replyFormat).toEqual({ kind: 'text' });
  });

  it.each<[body: object, param: string]>([
    [{ guided_json: {}, response_format: { type: 'json_object' } }, 'guided_json'],
    [{ guided_json: {}, structured_outputs: { json: {} } }, 'structured_outputs'],
    [{ structured_outputs: { json: {} }, response_format: { type: 'json_object' } }, 'structured_outputs'],
    [{ structured_outputs: { regex: 'a+', choice: ['a'] } }, 'structured_outputs'],
    [{ structured_outputs: { structural_tag: '{}' } }, 'structured_outputs.structural_tag'],
    [{ grammar: 'root ::= "a"', guided_grammar: 'root ::= "a"' }, 'guided_grammar'],
    [{ grammar: 'root ::= "a"', response_format: { type: 'json_object' } }, 'grammar'],
    [{ guided_choice: ['a'], tools: [functionTool] }, 'guided_choice'],
    [{ grammar: 'root ::= "a"', tools: [functionTool], tool_choice: 'required' }, 'grammar'],
    [{ best_of: 2 }, 'best_of'],
    [{ best_of: 1, n: 2 }, 'best_of'],
    [{ reasoning: { exclude: true } }, 'reasoning.exclude'],
    [{ top_logprobs: 2 }, 'top_logprobs'],
    [{ top_logprobs: 2, logprobs: false }, 'top_logprobs'],
  ])('is refused for %j, by name', (body, param) => {
    expect(() => resolve({ ...body })).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ status: 400, param }) }),
    );
  });

  it('takes best_of where it is n', () => {
    expect(resolve({ best_of: 1 }).choices).toBe(1);
    expect(resolve({ best_of: 3, n: 3 }).choices).toBe(3);
  });

  it.each<[body: object, kwargs: object]>([
    [{ reasoning_effort: 'high' }, { reasoning_effort: 'high', enable_thinking: true }],
    [{ reasoning: { effort: 'low' } }, { reasoning_effort: 'low', enable_thinking: true }],
    [{ reasoning: { effort: 'none' } }, { reasoning_effort: 'none', enable_thinking: false }],
    [{ think: 'medium' }, { reasoning_effort: 'medium', enable_thinking: true }],
    [{ think: true }, { enable_thinking: true }],
    [{ think: false }, { enable_thinking: false }],
    [{ enable_thinking: false }, { enable_thinking: false }],
    [{ reasoning: { enabled: false } }, { enable_thinking: false }],
    [{ reasoning: {} }, {}],
    [
      { reasoning_effort: 'high', reasoning: { effort: 'low' } },
      { reasoning_effort: 'high', enable_thinking: true },
    ],
    [{ enable_thinking: true, chat_template_kwargs: { enable_thinking: false } }, { enable_thinking: false }],
  ])('tells the template how much to think: %j', (body, kwargs) => {
    expect(resolve({ ...body }).prompt).toMatchObject({ templateKwargs: kwargs });
    expect(Object.keys((resolve({ ...body }).prompt as { templateKwargs: object }).templateKwargs)).toEqual(
      Object.keys(kwargs),
    );
  });

  it('makes any integer an unsigned 32-bit seed, the same one every time', () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger().filter((seed) => seed !== -1),
        (seed) => {
          const resolved = resolve({ seed }).sampling.seed;
          const unsigned = Number(((BigInt(seed) % 2n ** 32n) + 2n ** 32n) % 2n ** 32n);
          // To llama.cpp, the highest seed means a random one.
          expect(resolved).toBe(Math.min(unsigned, 2 ** 32 - 2));
        },
      ),
      { examples: [[Number.MAX_SAFE_INTEGER], [2 ** 32 - 1], [0], [-2]] },
    );
  });

  it.each([[undefined], [null], [-1]])('draws a random seed for the seed %s', (seed) => {
    const seeds = Array.from({ length: 8 }, () => resolve({ seed }).sampling.seed);
    expect(new Set(seeds).size).toBeGreaterThan(1);
    expect(seeds.every((drawn) => Number.isInteger(drawn) && drawn >= 0 && drawn < 2 ** 32)).toBe(true);
  });

  it('can be sent to other threads and processes', () => {
    const body = {
      seed: 1,
      logit_bias: { 1: 2 },
      chat_template_kwargs: { a: [1] },
      tools: [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }],
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
    };
    const request = resolve(body, {}, ['secret']);
    expect(JSON.parse(JSON.stringify(request))).toEqual(request);
  });
});
