import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectMembers, readJson, splitElements } from '../../../src/chat/formats/json-reader.ts';
import type { Input } from '../../../src/chat/formats/reading.ts';
import { isJson } from '../../../src/utils/json.ts';
import { repeats } from '../../support/repeats.ts';

/** Reads a text letter by letter. */
function read(text: string) {
  const input: Input = { rest: '', taken: '', ended: false };
  const reading = readJson(input);
  let result = reading.next();
  for (const char of text.split('')) {
    input.rest += char;
    if (!result.done) result = reading.next();
  }
  input.ended = true;
  if (!result.done) result = reading.next();
  return { json: result.value, ...input };
}

const anyStructure = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));
const anyJson = fc
  .tuple(anyStructure, fc.nat({ max: 2 }))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

describe('reading one JSON object or array', () => {
  it('ends with the object or array, whatever follows', () => {
    fc.assert(
      fc.property(anyJson, fc.string(), (json, after) => {
        expect(read(json + after)).toEqual({ json, taken: json, rest: after, ended: true });
      }),
    );
  });

  it('never accepts text that is not JSON, whichever letter is changed', () => {
    fc.assert(
      fc.property(anyJson, fc.nat(), fc.constantFrom(...'{}[],:"\\0-.e t\n'), (json, position, char) => {
        const at = position % json.length;
        const text = json.slice(0, at) + char + json.slice(at + 1);
        const found = read(text).json;
        expect(found === undefined || isJson(found)).toBe(true);
        if (isJson(text)) expect(found).toBe(/^[{[]/.test(text) ? text : undefined);
      }),
      { numRuns: repeats(250, 2000) },
    );
  });

  it.each([
    ['5', ''],
    ['"a"', ''],
    [' {}', ''],
    ['{"a": 1,}', '{"a": 1,'],
    ['[01]', '[01'],
    ['[1 2]', '[1 '],
    ['{"a\nb"}', '{"a'],
    ['["\\x"]', '["\\'],
    ['[tru]', '[tru'],
    ['[1}', '[1'],
    ['{"a": 1', '{"a": 1'],
  ])('%j is refused after %j', (text, taken) => {
    expect(read(text)).toMatchObject({ json: undefined, taken });
  });
});

describe('the parts of a JSON text', () => {
  it('are the members of an object as they are written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat({ max: 2 }), (value, indent) => {
        const members = objectMembers(JSON.stringify(value, null, indent));
        expect([...members.keys()].sort()).toEqual(Object.keys(value).sort());
        for (const [key, json] of members) expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value[key])));
      }),
    );
  });

  it('are the elements of an array as they are written', () => {
    expect(splitElements('[ 1.0, {"a": [1, 2]} ,"],", [] ]')).toEqual(['1.0', '{"a": [1, 2]}', '"],"', '[]']);
    expect(splitElements('[ ]')).toEqual([]);
  });
});
