import { describe, expect, it } from 'vitest';
import { readDataUri } from '../../src/media/data-uri.ts';

function read(uri: string, limit = 100): string {
  return Buffer.from(readDataUri(uri, limit)).toString('latin1');
}

describe('a data URI', () => {
  it.each([
    ['data:image/png;base64,aGVsbG8=', 'hello'],
    ['DATA:;BASE64,aGVsbG8', 'hello'],
    ['data:image/png;name=a;charset=x; base64 ,aGVsbG8=', 'hello'],
    ['data:image/png;base64,aGVs%62G8%3D', 'hello'],
    ['data:text/plain,hello', 'hello'],
    ['data:,', ''],
    ['data:image/png,%89PNG%0d%0A', '\x89PNG\r\n'],
    ['data:image/png,a%2cb,c', 'a,b,c'],
    ['data:image/png,100%', '100%'],
    ['data:image/png,%zz%4', '%zz%4'],
    ['data:image/png,hello#part', 'hello'],
    ['data:image/png;base64x,aGVsbG8=', 'aGVsbG8='],
  ])('%s is decoded', (uri, text) => {
    expect(read(uri)).toBe(text);
  });

  it('without a comma is refused', () => {
    expect(() => read('data:image/png;base64')).toThrow('is a data URI without a comma before its data.');
  });

  it.each(['data:;base64,AAAAAAAA', 'data:,abcdef', 'data:,%61%62%63%64%65%66', `data:,${'%61'.repeat(100)}`])(
    '%s is refused when more than its limit is in it',
    (uri) => {
      expect(() => read(uri, 5)).toThrow('is larger than the limit of 5 bytes.');
    },
  );

  it('is limited by its bytes, not by its text', () => {
    expect(read(`data:,${'%61'.repeat(6)}`, 6)).toBe('aaaaaa');
  });
});
