import { expect, it } from 'vitest';
import { sessionOf } from '../../../src/api/http/session.ts';

it.each([
  [{ session_id: 'a' }, 'a'],
  [{ 'x-session-id': 'b' }, 'b'],
  [{ 'x-session-id': 'b', session_id: 'a' }, 'a'],
  [{ session_id: '', 'x-session-id': 'b' }, 'b'],
  [{}, undefined],
])('of the headers %j is %j', (headers, session) => {
  expect(sessionOf(headers as Record<string, string>)).toBe(session);
});

it('is cut where it is long', () => {
  expect(sessionOf({ session_id: 'x'.repeat(10_000) })).toHaveLength(256);
});
