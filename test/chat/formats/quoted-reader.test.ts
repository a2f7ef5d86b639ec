import { describe, expect, it } from 'vitest';
import { passQuoted } from '../../../src/chat/formats/quoted-reader.ts';
import type { Input } from '../../../src/chat/formats/reading.ts';

const QUOTE = '<|"|>';

/** Reads a value from pieces. Returns its JSON, the text after it, and whether it is complete. */
function read(pieces: string[]) {
  const input: Input = { rest: '', taken: '', ended: false };
  let json = '';
  const reading = passQuoted(input, QUOTE, (text) => {
    json += text;
  });
  let step = reading.next();
  for (const piece of pieces) {
    if (step.done) break;
    input.rest += piece;
    step = reading.next();
  }
  input.ended = true;
  if (!step.done) step = reading.next();
  return { json, rest: input.rest, isWhole: step.value };
}

describe('a value whose texts stand between marks', () => {
  it.each([
    ['a text', `${QUOTE}say "hi",\n{x} <|"${QUOTE},`, 'say "hi",\n{x} <|"'],
    ['the empty text', `${QUOTE}${QUOTE}}`, ''],
    ['a number', '-1.5e3,', -1500],
    ['a word', 'null}', null],
    ['a list', `[${QUOTE}a${QUOTE},2,[]],`, ['a', 2, []]],
    ['an object', `{a b:${QUOTE}:}${QUOTE},c-d:{e:[true,{}]}},`, { 'a b': ':}', 'c-d': { e: [true, {}] } }],
    ['JSON in it', `{"a": "x, {y", b:[{"c": [1, 2]}]},`, { a: 'x, {y', b: [{ c: [1, 2] }] }],
  ])('is passed on as JSON, whole and character by character: %s', (_, text, value) => {
    for (const pieces of [[text], [...text]]) {
      const { json, rest, isWhole } = read(pieces);
      expect(isWhole).toBe(true);
      expect(JSON.parse(json)).toEqual(value);
      expect(rest === '' || text.endsWith(rest)).toBe(true);
    }
  });

  it.each([`${QUOTE}cut`, '{a:[1,', '{a', '12', '{"a', ''])('is not complete if it is cut off: %s', (text) => {
    expect(read([text]).isWhole).toBe(false);
    expect(read([...text]).isWhole).toBe(false);
  });

  it('comes in pieces as they are written', () => {
    const input: Input = { rest: '', taken: '', ended: false };
    const passed: string[] = [];
    const reading = passQuoted(input, QUOTE, (text) => text !== '' && passed.push(text));
    for (const piece of [`{a:${QUOTE}one two three`, ' four five']) {
      input.rest += piece;
      reading.next();
    }
    expect(passed.join('')).toBe('{"a": "one two three four five');
  });
});
