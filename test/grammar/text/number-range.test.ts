import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSchemaGrammar } from '../../../src/grammar/schema-grammar.ts';
import { makeRandom } from '../../kit/random.ts';
import { repeats } from '../../support/repeats.ts';
import { parseGrammar } from '../gbnf.ts';
import { createMatcher } from '../gbnf-matcher.ts';
import { createWriter } from '../gbnf-writer.ts';

function grammarOf(schema: Record<string, unknown>) {
  const { rules, rule } = createSchemaGrammar(schema, { param: 'schema' });
  const grammar = parseGrammar(rules);
  return { write: createWriter(grammar, rule), matches: createMatcher(grammar, rule) };
}

/** Two numbers, the smaller one first. */
const ordered = (number: fc.Arbitrary<number>) =>
  fc.tuple(number, number).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
const anyInteger = fc.oneof(
  fc.integer({ min: -1200, max: 1200 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc
    .tuple(fc.constantFrom(-1, 1), fc.nat({ max: 15 }), fc.integer({ min: -1, max: 1 }))
    .map(([sign, digits, beside]) => sign * 10 ** digits + beside),
);

describe('the grammar of integers in a range', () => {
  it('writes nothing else', () => {
    fc.assert(
      fc.property(ordered(anyInteger), fc.integer(), ([minimum, maximum], seed) => {
        const { write } = grammarOf({ type: 'integer', minimum, maximum });
        const random = makeRandom(seed);
        for (let count = 0; count < 20; count++) {
          const text = write(random);
          expect(text).toMatch(/^(0|-?[1-9]\d*)$/);
          expect(BigInt(text) >= BigInt(minimum) && BigInt(text) <= BigInt(maximum)).toBe(true);
        }
      }),
      { numRuns: repeats(75, 600) },
    );
  });

  it('matches each of them and none outside the range', () => {
    const start = fc.oneof(fc.integer({ min: -1500, max: 1500 }), anyInteger);
    fc.assert(
      fc.property(start, fc.nat({ max: 1800 }), (from, width) => {
        const minimum = Math.min(from, Number.MAX_SAFE_INTEGER - 2000);
        const maximum = minimum + width;
        const { matches } = grammarOf({ type: 'integer', minimum, maximum });
        const isWrong = (value: number) => matches(String(value)) !== (value >= minimum && value <= maximum);
        const all = Array.from({ length: width + 21 }, (_, index) => minimum - 10 + index);
        expect(all.filter(isWrong)).toEqual([]);
      }),
      { numRuns: repeats(20, 80) },
    );
  });

  it('leaves out excluded bounds', () => {
    const { matches } = grammarOf({ type: 'integer', exclusiveMinimum: -3, exclusiveMaximum: 2.5 });
    const all = Array.from({ length: 21 }, (_, index) => index - 10);
    expect(all.filter((value) => matches(String(value)))).toEqual([-2, -1, 0, 1, 2]);
  });

  it('matches all integers of up to 19 digits if there are no bounds', () => {
    const { matches } = grammarOf({ type: 'integer' });
    expect(['0', '7', '-7', '9223372036854775807', '-9999999999999999999'].every(matches)).toBe(true);
    expect(['-0', '00', '01', '+1', '1.0', '1e3', '10000000000000000000', ''].some(matches)).toBe(false);
  });
});

describe('the grammar of numbers in a range', () => {
  const decimal = fc.oneof(
    fc.tuple(fc.integer({ min: -3000, max: 3000 }), fc.nat({ max: 4 })).map(([value, digits]) => value / 10 ** digits),
    fc.tuple(fc.integer(), fc.nat({ max: 5 })).map(([value, digits]) => value / 10 ** digits),
  );
  const bounds = fc.record({
    range: ordered(decimal).filter(([low, high]) => low < high),
    low: fc.constantFrom('minimum', 'exclusiveMinimum', 'none'),
    high: fc.constantFrom('maximum', 'exclusiveMaximum', 'none'),
  });

  function isWithin(value: number, schema: Record<string, unknown>): boolean {
    const limit = (keyword: string, absent: number) => Number(schema[keyword] ?? absent);
    const { POSITIVE_INFINITY: high, NEGATIVE_INFINITY: low } = Number;
    return (
      value >= limit('minimum', low) &&
      value > limit('exclusiveMinimum', low) &&
      value <= limit('maximum', high) &&
      value < limit('exclusiveMaximum', high)
    );
  }

  it('writes nothing else, and matches all of them that have few digits', () => {
    fc.assert(
      fc.property(bounds, fc.integer(), fc.array(decimal, { maxLength: 30 }), ({ range, low, high }, seed, values) => {
        const schema = { type: 'number', [low]: range[0], [high]: range[1], none: undefined };
        const { none: _, ...bounded } = schema;
        const { write, matches } = grammarOf(bounded);
        const random = makeRandom(seed);
        for (let count = 0; count < 20; count++) {
          const text = write(random);
          expect(isWithin(JSON.parse(text), bounded), text).toBe(true);
        }
        for (const value of [...values, ...range]) {
          if (low === 'none' && high === 'none') continue;
          expect(matches(JSON.stringify(value)), `${value}`).toBe(isWithin(value, bounded));
        }
      }),
      { numRuns: repeats(75, 600) },
    );
  });

  it('matches no number that is rounded to an excluded bound', () => {
    const { matches } = grammarOf({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 5 });
    expect(matches('4.99999999999999')).toBe(true);
    expect(matches('4.9999999999999999')).toBe(false);
    expect(matches('0.00000000000001')).toBe(true);
    expect(['0', '-0', '0.0', '-0.0', '5', '5.0'].some(matches)).toBe(false);
  });
});
