import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../src/api/fields/fields.ts';
import { textInputs, toTextInputs } from '../../../src/api/fields/text-input.ts';
import { REFUSED_INPUTS } from './text-input-cases.ts';

const schema = v.looseObject({ input: textInputs(3) }, 'must be a JSON object');
const read = (input: unknown) => toTextInputs(validate(schema, { input }).input);

const refusal = (param: string) =>
  expect.objectContaining({ data: expect.objectContaining({ status: 400, param: expect.stringContaining(param) }) });

describe('text inputs', () => {
  it.each<[unknown, unknown[]]>([
    ['a', ['a']],
    [['a'], ['a']],
    [
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ],
    [[1, 2, 3, 4, 5], [[1, 2, 3, 4, 5]]],
    [[0], [[0]]],
    [
      [[1], [2, 3]],
      [[1], [2, 3]],
    ],
  ])('are read one by one: %j', (input, expected) => {
    expect(read(input)).toEqual(expected);
  });

  it.each(REFUSED_INPUTS.map(([input, place, message]) => [JSON.stringify(input) ?? 'nothing', message, place, input]))(
    'are not %s: %s',
    (_, message, place, input) => {
      expect(() => read(input)).toThrow(refusal(`input${place}`));
      expect(() => read(input)).toThrow(`input${place} ${message}`);
    },
  );

  it.each([[['a', 'b', 'c', 'd']], [[[1], [2], [3], [4]]]])(
    'are refused if there are more than allowed: %j',
    (input) => {
      expect(() => read(input)).toThrow('input must have at most 3 texts.');
    },
  );

  it('are never empty, and none is lost', () => {
    const text = fc.string({ minLength: 1 });
    const tokens = fc.array(fc.nat(), { minLength: 1 });
    const several = { minLength: 1, maxLength: 3 };
    fc.assert(
      fc.property(fc.oneof(fc.array(text, several), fc.array(tokens, several)), (input) => {
        expect(read(input)).toEqual(input);
      }),
    );
  });
});
