import { describe, expect, it } from 'vitest';
import { withDefaults } from '../../../src/catalogue/modelfile/merge.ts';

const defaults = { settings: { system_prompt: 'Ahoy.' }, parameters: { temperature: 0.6 } };
const merged = (existing: object | null, name: string | null) =>
  JSON.parse(withDefaults(existing && JSON.stringify(existing), defaults, name));

describe('the model.json with the defaults of a Modelfile', () => {
  it('has them as a profile, beside the others', () => {
    expect(merged(null, 'pirate')).toEqual({ profiles: { pirate: defaults } });
    const before = {
      name: 'M',
      profiles: { other: { parameters: { top_k: 1 } }, pirate: { settings: { min_p: 0.1 } } },
    };
    expect(merged(before, 'pirate')).toEqual({ name: 'M', profiles: { ...before.profiles, pirate: defaults } });
  });

  it("has them among the model's own, which they replace by name", () => {
    const before = { id: 'm', settings: { system_prompt: 'Hi.', ctx_len: 4096 } };
    expect(merged(before, null)).toEqual({
      id: 'm',
      settings: { system_prompt: 'Ahoy.', ctx_len: 4096 },
      parameters: { temperature: 0.6 },
    });
  });

  it('is not made of values that a model.json can not have, nor of a file that is none', () => {
    const hot = { settings: {}, parameters: { temperature: 9 } };
    expect(() => withDefaults(null, hot, null)).toThrow('parameters.temperature must be a number between 0 and 2');
    expect(() => withDefaults(null, hot, 'hot')).toThrow('temperature must be a number between 0 and 2');
    expect(() => withDefaults(null, defaults, '../up')).toThrow('profiles must have names');
    expect(() => withDefaults('[]', defaults, null)).toThrow('The file must be a JSON object.');
  });
});
