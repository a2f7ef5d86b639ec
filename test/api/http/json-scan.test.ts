import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonScan, JSON_LIMITS, type JsonLimits } from '../../../src/api/http/json-scan.ts';
import {
  BEHIND_BACKSLASH,
  BEHIND_D,
  BEHIND_U,
  NO_ESCAPE,
  nextEscape,
  SURROGATE,
} from '../../../src/api/http/json-string-scan.ts';

/** Looks at a text in pieces of so many bytes. */
function look(text: string, limits: Partial<JsonLimits> = {}, pieceBytes = 1000) {
  const bytes = new TextEncoder().encode(text);
  const scan = createJsonScan({ depth: 1000, values: 1_000_000, ...limits });
  for (let at = 0; at < bytes.length; at += pieceBytes) scan.look(bytes.subarray(at, at + pieceBytes));
  return scan;
}

const looking = (text: string, limits: Partial<JsonLimits>, pieceBytes?: number) => () =>
  look(text, limits, pieceBytes);

/** The values and keys of a parsed text, four numbers counted as one; and its levels. */
function measure(value: unknown): { values: number; depth: number } {
  if (typeof value === 'number') return { values: 0.25, depth: 0 };
  if (typeof value !== 'object' || value === null) return { values: 1, depth: 0 };
  const inner = Object.values(value).map(measure);
  const keys = Array.isArray(value) ? 0 : Object.keys(value).length;
  return {
    values: 1 + keys + inner.reduce((sum, { values }) => sum + values, 0),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  };
}

describe('the scan of a JSON text', () => {
  it.each([
    ['[[[]]]', 3],
    ['{"a":{"b":[1]}}', 3],
    ['"[[[[["', 0],
    ['{"[[[":"\\"[[["}', 1],
    [`${'[]'.repeat(50)}`, 1],
  ])('counts %s as %i deep', (text, depth) => {
    expect(looking(text, { depth })).not.toThrow();
    if (depth > 0)
      expect(looking(text, { depth: depth - 1 })).toThrow(
        expect.objectContaining({
          data: expect.objectContaining({
            status: 400,
            code: 'body_too_deep',
            message: expect.stringContaining(`more than ${depth - 1} deep`),
          }),
        }),
      );
  });

  it.each([
    ['[]', 1],
    ['[{}, {}]', 3],
    ['{"a": "b", "c": [true, false, null]}', 8],
    ['["\\\\", "\\"", "a,b:c{"]', 4],
    ['[1, -2.5e-7, 3, 4]', 2],
    ['[1,2,3,4,5,6,7,8]', 3],
    ['  "text"  ', 1],
  ])('counts %s as %i values', (text, values) => {
    expect(looking(text, { values })).not.toThrow();
    expect(looking(text, { values: values - 1 })).toThrow(
      expect.objectContaining({
        data: expect.objectContaining({
          status: 400,
          code: 'body_too_many_values',
          message: expect.stringMatching(new RegExp(`more than ${values - 1} values`)),
        }),
      }),
    );
  });

  it('counts what the parser would build, however the text is cut into pieces', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 1, max: 9 }), (value, pieceBytes) => {
        const text = JSON.stringify(value);
        const { values, depth } = measure(JSON.parse(text));
        expect(looking(text, { values, depth }, pieceBytes)).not.toThrow();
        expect(looking(text, { values: values - 0.25, depth }, pieceBytes)).toThrow(/more than .* values/);
        if (depth > 0) expect(looking(text, { values, depth: depth - 1 }, pieceBytes)).toThrow(/deep/);
      }),
    );
  });

  it('refuses long keys, but takes texts of any length', () => {
    expect(looking(`{"${'k'.repeat(256)}":"${'x'.repeat(10_000)}"}`, {})).not.toThrow();
    expect(looking(`{"a":1,"${'k'.repeat(257)}" :1}`, {}, 7)).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ status: 400, code: 'body_key_too_long' }) }),
    );
  });

  it.each([
    ['["\\ud83d"]', true],
    ['["\\uD83D\\uDE00"]', true],
    ['{"\\udfff":1}', true],
    ['["\\ud7ff\\ue000"]', false],
    ['["\\\\ud83d"]', false],
    ['["\\u0041 \\n d83d"]', false],
    ['["😀"]', false],
  ])('tells whether %s escapes halves of surrogate pairs', (text, expected) => {
    for (const pieceBytes of [1, 2, 3, 100]) expect(look(text, {}, pieceBytes).escapesSurrogates()).toBe(expected);
  });

  it.each([
    [BEHIND_BACKSLASH, 'u', BEHIND_U],
    [BEHIND_BACKSLASH, 'U', NO_ESCAPE],
    [BEHIND_BACKSLASH, '"', NO_ESCAPE],
    [BEHIND_BACKSLASH, '\\', NO_ESCAPE],
    [BEHIND_U, 'd', BEHIND_D],
    [BEHIND_U, 'D', BEHIND_D],
    [BEHIND_U, 'e', NO_ESCAPE],
    [BEHIND_D, '7', NO_ESCAPE],
    [BEHIND_D, '8', SURROGATE],
    [BEHIND_D, 'f', SURROGATE],
    [BEHIND_D, 'C', SURROGATE],
  ])('goes in an escape from state %i by %s to %i', (state, character, next) => {
    expect(nextEscape(state, character.charCodeAt(0))).toBe(next);
  });

  it('takes the tools of a large agent', () => {
    const nested = (depth: number): object =>
      depth === 0 ? { type: 'string' } : { type: 'object', properties: { inner: nested(depth - 1) } };
    const tools = Array.from({ length: 100 }, (_, index) => ({
      type: 'function',
      function: { name: `tool_${index}`, description: 'A tool.', parameters: nested(20) },
    }));
    expect(looking(JSON.stringify({ model: 'm', messages: [], tools }), JSON_LIMITS)).not.toThrow();
  });

  it('takes a prompt of 190,000 token ids', () => {
    const prompt = Array.from({ length: 190_000 }, (_, index) => index);
    expect(looking(JSON.stringify({ model: 'm', prompt }), JSON_LIMITS, 65_536)).not.toThrow();
  });
});
