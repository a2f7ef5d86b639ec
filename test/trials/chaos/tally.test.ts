import { describe, expect, it } from 'vitest';
import { toRefusal } from '../../kit/http.ts';
import { createTally } from './tally.ts';

const error = (status: number, code: string) =>
  toRefusal(status, JSON.stringify({ error: { message: 'No.', type: 'server_error', code, param: null } }));

describe('the tally', () => {
  it('takes right answers, clients that leave, and errors that were asked for', () => {
    const tally = createTally();
    tally.note('stream', { kind: 'right' });
    tally.note('abort', { kind: 'left' });
    tally.note('malformed body', { kind: 'refused', refusal: error(400, 'invalid_json'), expected: true });
    expect(tally.breaches).toEqual([]);
    expect(tally.requests).toBe(3);
    expect([...tally.errors]).toEqual([['400 invalid_json', 1]]);
  });

  it('takes an error to a good request only if killed engines explain it', () => {
    const tally = createTally({ victim: ['model_load_failed'] });
    tally.note('stream', { kind: 'refused', refusal: error(500, 'engine_crashed'), expected: false });
    tally.note('victim', { kind: 'refused', refusal: error(500, 'model_load_failed'), expected: false });
    expect(tally.breaches).toEqual([]);
    tally.note('stream', { kind: 'refused', refusal: error(500, 'server_error'), expected: false });
    tally.note('stream', { kind: 'refused', refusal: error(500, 'model_load_failed'), expected: false });
    tally.note('stream', { kind: 'refused', refusal: toRefusal(502, '<h1>Bad Gateway</h1>'), expected: false });
    expect(tally.breaches).toEqual([
      'stream: 500 server_error: No.',
      'stream: 500 model_load_failed: No.',
      'stream: 502 NOT OURS: <h1>Bad Gateway</h1>',
    ]);
  });

  it('counts wrong answers and broken connections as breaches', () => {
    const tally = createTally();
    tally.note('stream', { kind: 'wrong', detail: 'a instead of b' });
    tally.note('stream', { kind: 'broken', detail: 'ECONNRESET' });
    expect(tally.wrong).toBe(1);
    expect(tally.breaches).toHaveLength(2);
  });
});
