import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../../src/core/api/chat-schema.ts';
import { validate } from '../../../src/core/api/fields.ts';
import { refuseUnsupported, unknownFields } from '../../../src/core/api/support.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { hello } from './fixtures.ts';

const request = (body: Record<string, unknown>) => validate(chatRequestSchema, { ...hello, ...body });

/** The param of the refusal; undefined when the request is taken. */
function refusedParam(body: Record<string, unknown>): string | null | undefined {
  try {
    refuseUnsupported(request(body));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.data).toMatchObject({ status: 400, type: 'invalid_request_error', code: 'unsupported_parameter' });
    expect(error.message).toContain(String(error.data.param));
    return error.data.param;
  }
  return undefined;
}

const tool = { type: 'function', function: { name: 'add' } };

describe('unsupported fields', () => {
  it.each<[string, unknown]>([
    ['audio', { voice: 'alloy', format: 'wav' }],
    ['modalities', ['text', 'audio']],
    ['web_search_options', {}],
    ['prediction', { type: 'content', content: 'x' }],
    ['functions', [{ name: 'add' }]],
    ['function_call', 'auto'],
    ['verbosity', 'low'],
    ['grammar', 'root ::= "x"'],
    ['json_schema', {}],
    ['samplers', ['top_k']],
    ['dry_multiplier', 0.8],
    ['xtc_probability', 0.5],
    ['top_n_sigma', 1],
    ['ignore_eos', true],
    ['n_keep', 5],
    ['lora', []],
  ])('refuses %s, which would change the reply', (field, value) => {
    expect(refusedParam({ [field]: value })).toBe(field);
  });

  it.each<[string, unknown]>([
    ['n', 2],
    ['tools', [tool]],
    ['response_format', { type: 'json_object' }],
    ['response_format', { type: 'json_schema', json_schema: { name: 'x', schema: {} } }],
    ['logprobs', true],
    ['top_logprobs', 1],
    ['reasoning_effort', 'low'],
  ])('refuses %s %j rather than ignore it', (field, value) => {
    expect(refusedParam({ [field]: value })).toBe(field);
  });

  it.each<[string, Record<string, unknown>]>([
    ['nothing special', {}],
    ['one choice', { n: 1 }],
    ['no tools', { tools: [] }],
    ['tools that may not be called', { tools: [tool], tool_choice: 'none' }],
    ['plain text', { response_format: { type: 'text' } }],
    ['no logprobs', { logprobs: false, top_logprobs: 0 }],
    ['text alone', { modalities: ['text'] }],
    ['who asks and where to keep it', { user: 'ann', metadata: { a: 'b' }, store: true, service_tier: 'auto' }],
    ['a name that nobody defines', { sparkle: true }],
    ['an unsupported field that is null', { audio: null, functions: null, n: null }],
  ])('takes a request for %s', (_, body) => {
    expect(refusedParam(body)).toBeUndefined();
  });
});

describe('unknown fields', () => {
  it('are those that nobody defines', () => {
    expect(unknownFields(request({ sparkle: 1, user: 'ann', temperature: 1, store: false }))).toEqual(['sparkle']);
  });

  it('are none in an ordinary request', () => {
    expect(unknownFields(request({ stream: true, seed: 1, metadata: {} }))).toEqual([]);
  });

  it('may have a name that every JavaScript object knows', () => {
    expect(unknownFields(request({ valueOf: 1, toString: 2 }))).toEqual(['valueOf', 'toString']);
  });
});
