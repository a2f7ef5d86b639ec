import { describe, expect, it } from 'vitest';
import { requestIdHeaders, requestIdOf } from '../../../src/api/http/request-id.ts';

describe('the id of a request', () => {
  it("is the client's own if it sends one", () => {
    expect(requestIdOf({ 'x-request-id': 'abc-123' })).toBe('abc-123');
  });

  it('is new for each request without one', () => {
    expect(requestIdOf({})).toMatch(/^[\w-]{36}$/);
    expect(requestIdOf({})).not.toBe(requestIdOf({}));
  });

  it.each(['', 'x'.repeat(129), 'two words', 'line\nbreak', 'ümlaut'])(
    'is new if the given one could harm a log: %j',
    (given) => {
      expect(requestIdOf({ 'x-request-id': given })).toMatch(/^[\w-]{36}$/);
    },
  );

  it('is told under both of the names that clients look for', () => {
    expect(requestIdHeaders('abc-123')).toEqual({ 'x-request-id': 'abc-123', 'request-id': 'abc-123' });
  });
});
