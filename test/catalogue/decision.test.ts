import { describe, expect, it } from 'vitest';
import { readDecisionModel } from '../../src/catalogue/decision.ts';
import { createFields, type GgufValue } from '../../src/gguf/fields.ts';

const TEMPLATE = { 'tokenizer.chat_template.systemone': '{{ state }}' };
const read = (fields: Record<string, GgufValue>) =>
  readDecisionModel('qwen3', createFields(new Map(Object.entries(fields))));

describe('a decision model', () => {
  it('has its type and its temperatures in the header', () => {
    const temperatures = {
      'qwen3.decision.temperature.noul': 1.5,
      'qwen3.decision.temperature.choice.3_5': 0.5,
      'qwen3.decision.temperature.score.small': 2,
    };
    expect(read({ ...TEMPLATE, 'qwen3.decision.type': 'lev', ...temperatures })).toEqual({
      type: 'lev',
      temperatures: { noul: 1.5, 'choice.3_5': 0.5, 'score.small': 2 },
    });
  });

  it.each<[string, Record<string, GgufValue>]>([
    ['names no type', TEMPLATE],
    ['is of a type that answers with no label', { ...TEMPLATE, 'qwen3.decision.type': 'lfm2-d1' }],
    ['has no template for decisions', { 'qwen3.decision.type': 'lev' }],
  ])('is asked like a chat model if it %s', (_, fields) => {
    expect(read(fields)).toBeUndefined();
  });

  it('has no temperature that is not above 0', () => {
    const fields = { ...TEMPLATE, 'qwen3.decision.type': 'openjev', 'qwen3.decision.temperature.noul': 0 };
    expect(read(fields)?.temperatures).toEqual({});
  });
});
