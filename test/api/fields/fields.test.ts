import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { between, booleanField, integerField, oneOf, textField, validate } from '../../../src/api/fields/fields.ts';
import { ApiError, type ErrorData } from '../../../src/contract/errors.ts';

/** Returns the error that validation throws, or undefined if the input is valid. */
function refusal(schema: v.GenericSchema, input: unknown): ErrorData | undefined {
  try {
    validate(schema, input);
  } catch (error) {
    if (error instanceof ApiError) return error.data;
    throw error;
  }
  return undefined;
}

const field = (schema: v.GenericSchema) => v.looseObject({ field: schema }, 'must be a JSON object');

describe('field validation', () => {
  it('returns valid input, including fields that the schema does not name', () => {
    expect(validate(field(textField), { field: 'x', more: 1 })).toEqual({ field: 'x', more: 1 });
  });

  it('answers 400 with the field as param and in the message', () => {
    expect(refusal(field(textField), { field: 5 })).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'field',
      message: 'field must be a string.',
    });
  });

  it('says of an absent field that it is required', () => {
    expect(refusal(field(textField), {})).toMatchObject({ param: 'field', message: 'field is required.' });
  });

  it('says that a body must be an object', () => {
    expect(refusal(field(textField), 'x')).toMatchObject({
      param: null,
      message: 'The request body must be a JSON object.',
    });
  });

  it('names the place inside arrays and objects', () => {
    const schema = field(v.array(v.looseObject({ inner: textField })));
    expect(refusal(schema, { field: [{ inner: 'x' }, { inner: 5 }] })?.param).toBe('field[1].inner');
  });

  it('names the place inside the variant of a union that the input was meant for', () => {
    const schema = field(v.union([v.string(), v.array(v.looseObject({ inner: textField }))], 'must be this or that'));
    expect(refusal(schema, { field: [{ inner: 5 }] })).toMatchObject({ param: 'field[0].inner' });
    expect(refusal(schema, { field: 5 })).toMatchObject({ param: 'field', message: 'field must be this or that.' });
  });

  describe('for a union of lists', () => {
    const word = v.pipe(textField, v.nonEmpty('must not be empty'));
    const lists = field(
      v.union(
        [v.array(word), v.array(integerField(0)), v.array(v.array(integerField(0)))],
        'must be one of three lists',
      ),
    );

    it.each<[unknown[], string, string]>([
      [['a', 5], 'field[1]', 'must be a string'],
      [[5, 'a'], 'field[1]', 'must be an integer of at least 0'],
      [[[1], [2, 'a']], 'field[1][1]', 'must be an integer of at least 0'],
      [[-1], 'field[0]', 'must be an integer of at least 0'],
      [['a', ''], 'field[1]', 'must not be empty'],
    ])('names the place in the list that matched furthest: %j', (value, param, message) => {
      expect(refusal(lists, { field: value })).toMatchObject({ param, message: `${param} ${message}.` });
    });

    it.each([[[true]], [[{}]], ['x'], [{}]])(
      'says what the field must be if no list matched further than the others: %j',
      (value) => {
        expect(refusal(lists, { field: value })).toMatchObject({ message: 'field must be one of three lists.' });
      },
    );
  });

  it('names the first of several wrong fields', () => {
    expect(refusal(v.object({ a: textField, b: textField }), { a: 1, b: 2 })?.param).toBe('a');
  });

  it('accepts exactly the strings, booleans and words that a field allows', () => {
    const kinds: [v.GenericSchema, (value: unknown) => boolean][] = [
      [textField, (value) => typeof value === 'string'],
      [booleanField, (value) => typeof value === 'boolean'],
      [oneOf(['a', 'b']), (value) => value === 'a' || value === 'b'],
    ];
    const anything = fc.oneof(fc.jsonValue(), fc.constantFrom('a', 'b', true, false));
    fc.assert(
      fc.property(fc.constantFrom(...kinds), anything, ([schema, allowed], value) => {
        expect(refusal(field(schema), { field: value }) === undefined).toBe(allowed(value));
      }),
    );
  });

  it('accepts exactly the numbers within a range, both ends included', () => {
    const bounds = fc.tuple(fc.double({ noNaN: true }), fc.double({ noNaN: true }));
    fc.assert(
      fc.property(bounds, fc.double(), ([a, b], value) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        for (const tried of [value, min, max]) {
          expect(refusal(between(min, max), tried) === undefined).toBe(tried >= min && tried <= max);
        }
      }),
    );
  });

  it('accepts exactly the integers within a range, both ends included', () => {
    const bounds = fc.tuple(fc.maxSafeInteger(), fc.maxSafeInteger());
    const values = fc.oneof(fc.maxSafeInteger(), fc.double());
    fc.assert(
      fc.property(bounds, values, ([a, b], value) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        for (const tried of [value, min, max]) {
          const allowed = Number.isSafeInteger(tried) && tried >= min && tried <= max;
          expect(refusal(integerField(min, max), tried) === undefined).toBe(allowed);
        }
      }),
    );
  });

  it.each<[string, v.GenericSchema, unknown, string]>([
    ['a range', between(0, 2), 3, 'must be a number between 0 and 2'],
    ['a range of integers', integerField(1, 8), 9, 'must be an integer between 1 and 8'],
    ['a lowest integer', integerField(1), 0, 'must be an integer of at least 1'],
    ['any integer', integerField(Number.MIN_SAFE_INTEGER), 0.5, 'must be an integer.'],
    ['some words', oneOf(['a', 'b']), 'c', 'must be one of a, b'],
  ])('has a message for %s', (_, schema, value, expected) => {
    expect(refusal(field(schema), { field: value })?.message).toContain(expected);
  });

  it('answers any JSON with the input or a 400, never with another error', () => {
    const schema = field(v.union([v.string(), v.array(v.looseObject({ inner: textField }))], 'must be this or that'));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect([undefined, 400]).toContain(refusal(schema, { field: value })?.status);
        expect([undefined, 400]).toContain(refusal(schema, value)?.status);
      }),
    );
  });
});
