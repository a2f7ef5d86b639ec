import { describe, expect, it } from 'vitest';
import { refuseFields, undefinedFields } from '../../../src/api/fields/support.ts';

const refusalOf = (field: string) =>
  expect.objectContaining({
    data: expect.objectContaining({ status: 400, code: 'unsupported_parameter', param: field }),
  });

describe('fields that would change the reply', () => {
  it.each([
    ['audio', {}],
    ['function_call', 'auto'],
    ['functions', []],
    ['grammar', 'root ::= "a"'],
    ['ignore_eos', true],
    ['json_schema', {}],
    ['lora', [{ id: 0, scale: 1 }]],
    ['min_keep', 1],
    ['n_keep', 5],
    ['n_probs', 3],
    ['samplers', ['top_k']],
    ['t_max_predict_ms', 100],
    ['web_search_options', {}],
    ['min_tokens', 5],
    ['stop_token_ids', [2]],
    ['num_ctx', 8192],
    ['options', { num_ctx: 8192 }],
    ['guided_regex', 'a+'],
    ['guided_choice', ['a', 'b']],
    ['guided_grammar', 'root ::= "a"'],
    ['use_beam_search', true],
    ['continue_final_message', true],
    ['add_generation_prompt', false],
    ['chat_template', '{{ messages }}'],
    ['include_reasoning', false],
    ['separate_reasoning', false],
    ['reasoning_budget_message', 'Enough.'],
  ])('are refused: %s %j', (field, value) => {
    expect(() => refuseFields({ model: 'tiny', [field]: value })).toThrow(refusalOf(field));
  });

  it.each([
    ['n_probs', 0],
    ['min_keep', 0],
    ['n_keep', 0],
    ['t_max_predict_ms', 0],
    ['t_max_predict_ms', -1],
    ['grammar', ''],
    ['ignore_eos', false],
    ['post_sampling_probs', false],
    ['lora', []],
    ['min_tokens', 0],
    ['stop_token_ids', []],
    ['options', {}],
    ['use_beam_search', false],
    ['continue_final_message', false],
    ['add_generation_prompt', true],
    ['include_reasoning', true],
    ['separate_reasoning', true],
    ['reasoning_budget_message', ''],
  ])('pass with the value that changes nothing: %s %j', (field, value) => {
    expect(() => refuseFields({ model: 'tiny', [field]: value })).not.toThrow();
  });

  it.each([
    ['verbosity', 'low'],
    ['prediction', { type: 'content', content: 'x' }],
  ])('do not include hints: %s', (field, value) => {
    expect(() => refuseFields({ [field]: value })).not.toThrow();
    expect(undefinedFields({ [field]: value }, {})).toEqual([]);
  });

  it('are the own matter of an endpoint whose schema has them', () => {
    const entries = { continue_final_message: {} };
    expect(() => refuseFields({ continue_final_message: true }, [], entries)).not.toThrow();
    expect(() => refuseFields({ add_generation_prompt: false }, [], entries)).toThrow(
      refusalOf('add_generation_prompt'),
    );
  });

  it('include those that an endpoint names', () => {
    expect(() => refuseFields({ tools: [] })).not.toThrow();
    expect(() => refuseFields({ tools: [] }, ['tools'])).toThrow('tools is not supported.');
  });

  it('count as absent if they are null', () => {
    expect(() => refuseFields({ audio: null, tools: null }, ['tools'])).not.toThrow();
  });
});

describe('unknown fields', () => {
  it('are not those with a value that changes nothing', () => {
    expect(undefinedFields({ min_tokens: 0, grammar: '' }, {})).toEqual([]);
  });

  it('are neither in the schema nor known to have no effect', () => {
    expect(undefinedFields({ model: 'tiny', user: 'ann', sparkle: 1 }, { model: {} })).toEqual(['sparkle']);
  });

  it('may have the name of a property of every JavaScript object', () => {
    expect(undefinedFields({ valueOf: 1 }, {})).toEqual(['valueOf']);
  });
});
