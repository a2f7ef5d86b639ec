import { describe, expect, it } from 'vitest';
import { isJson, parseObject } from '../../src/utils/json.ts';

describe('the text of an object', () => {
  it('is read, and no other text', () => {
    expect(parseObject('{"a": [1]}')).toEqual({ a: [1] });
    for (const text of ['[1]', 'null', '5', '"a"', '{', '']) expect(parseObject(text), text).toBeNull();
  });
});

describe('a JSON text', () => {
  it('is any value, whole', () => {
    for (const text of ['{}', '[1]', 'null', '5', '"a"']) expect(isJson(text), text).toBe(true);
    for (const text of ['', '{', "{'a': 1}", 'undefined']) expect(isJson(text), text).toBe(false);
  });
});
