import { describe, expect, it } from 'vitest';
import { queryField } from '../../../src/api/http/query.ts';

describe('a field of a query', () => {
  it.each([
    ['filename=a.gguf', 'a.gguf'],
    ['size=3&filename=a%20b.gguf', 'a b.gguf'],
    ['filename=a+b.gguf&filename=c', 'a b.gguf'],
    ['filename=a%3Db=c', 'a=b=c'],
    ['filename=', ''],
    ['filename', ''],
    ['file=x', null],
    ['', null],
  ])('is decoded: %j has %j', (query, expected) => {
    expect(queryField(query, 'filename')).toBe(expected);
  });

  it('is refused with its name if its encoding is wrong', () => {
    expect(() => queryField('filename=%', 'filename')).toThrow('filename is not a valid URL encoding.');
  });
});
