import { describe, expect, it } from 'vitest';
import { refuseFields, undefinedFields } from '../../../../src/core/api/fields/support.ts';

describe('fields that would change the reply', () => {
  it.each([
    'audio',
    'dry_multiplier',
    'function_call',
    'functions',
    'grammar',
    'ignore_eos',
    'json_schema',
    'lora',
    'n_keep',
    'n_probs',
    'prediction',
    'samplers',
    'top_n_sigma',
    'verbosity',
    'web_search_options',
    'xtc_probability',
  ])('are refused: %s', (field) => {
    expect(() => refuseFields({ model: 'tiny', [field]: {} })).toThrow(
      expect.objectContaining({
        data: expect.objectContaining({ status: 400, code: 'unsupported_parameter', param: field }),
      }),
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
  it('are neither in the schema nor known to have no effect', () => {
    expect(undefinedFields({ model: 'tiny', user: 'ann', sparkle: 1 }, { model: {} })).toEqual(['sparkle']);
  });

  it('may have the name of a property of every JavaScript object', () => {
    expect(undefinedFields({ valueOf: 1 }, {})).toEqual(['valueOf']);
  });
});
