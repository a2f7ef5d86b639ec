import { describe, expect, it } from 'vitest';
import { checkValue, UNFINISHED } from '../../../src/grammar/check/check.ts';
import { cpuMs } from '../../kit/cpu-ms.ts';

describe('the check of a value', () => {
  it('names the place in the value, the keyword, and what must be', () => {
    const schema = {
      properties: { 'a/b': { type: 'array', items: { $ref: '#/$defs/step' }, uniqueItems: true } },
      required: ['c'],
      $defs: { step: { multipleOf: 0.01 } },
    };
    expect(checkValue(schema, { 'a/b': [0.07, 0.071, 0.07] })).toEqual([
      { path: '', keyword: 'required', message: 'must have the property "c"' },
      { path: '/a~1b', keyword: 'uniqueItems', message: 'must have no equal items, but 0 and 2 are' },
      { path: '/a~1b/1', keyword: 'multipleOf', message: 'must be a multiple of 0.01' },
    ]);
    expect(checkValue(schema, { 'a/b': [0.07, 0.08], c: null })).toEqual([]);
  });

  it('takes objects for equal whatever the order of their members', () => {
    const schema = { uniqueItems: true };
    expect(
      checkValue(schema, [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ]),
    ).toHaveLength(1);
    expect(checkValue({ const: { a: 1, b: 2 } }, { b: 2, a: 1 })).toEqual([]);
    expect(checkValue(schema, [1, '1', [1], { a: 1 }])).toEqual([]);
  });

  it('reads no inherited property as a member', () => {
    expect(checkValue({ required: ['constructor'] }, {})).toHaveLength(1);
    expect(checkValue({ dependentRequired: { toString: ['a'] } }, {})).toEqual([]);
  });

  it('tells at most 16 violations', () => {
    expect(checkValue({ items: { type: 'null' } }, Array(100).fill(1))).toHaveLength(16);
  });

  it('shortens what it quotes', () => {
    const [violation] = checkValue({ pattern: `^${'a'.repeat(5000)}$` }, 'b');
    expect(violation?.message.length).toBeLessThan(300);
  });

  it('does not check a condition on which nothing depends', () => {
    expect(checkValue({ if: { $ref: '#' }, else: true }, 1)).toEqual([]);
    expect(checkValue({ if: { $ref: '#' } }, 1)).toEqual([]);
  });

  it.each<[string, unknown, unknown]>([
    ['a schema that refers to itself', { not: { $ref: '#' } }, 1],
    ['branches that multiply', { anyOf: Array(20).fill({ items: { $ref: '#' }, minItems: 2 }) }, nested(12)],
    ['a pattern that goes back and forth', { pattern: '^(a|a?a)*(a|a?a)*(a|a?a)*c$' }, 'a'.repeat(60_000)],
    ['looks ahead from every place', { pattern: '^(?:(?=.*b.*c)a)*$' }, `${'a'.repeat(5000)}bc`],
  ])('says so, and takes no more than 3 seconds, where the work never ends: %s', (_, schema, value) => {
    const start = cpuMs();
    expect(checkValue(schema, value)).toEqual([UNFINISHED]);
    expect(cpuMs() - start).toBeLessThan(3000);
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? [] : [nested(depth - 1), nested(depth - 1)];
}
