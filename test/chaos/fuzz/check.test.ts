import { describe, expect, it } from 'vitest';
import { checkRaw, checkReply } from '../../../chaos/fuzz/check.ts';
import { readReplies } from '../../../chaos/fuzz/raw-exchange.ts';

const ours = (code: string | null) =>
  JSON.stringify({ error: { message: 'No.', type: 'invalid_request_error', code, param: null } });
const check = (status: number, text: string, type = 'application/json') =>
  checkReply({ method: 'POST', path: '/v1/chat/completions' }, status, type, text);

describe('a reply to a fuzzed request', () => {
  it('is fine as JSON, as a stream, or as one of our errors', () => {
    expect(check(200, '{}')).toEqual({ name: '200 /v1/chat', failure: null });
    expect(check(200, 'data: {}\n\ndata: [DONE]\n\n', 'text/event-stream').failure).toBeNull();
    expect(check(400, ours('invalid_json'))).toEqual({ name: '400 invalid_json', failure: null });
    expect(check(503, ours('overloaded')).failure).toBeNull();
  });

  it.each([
    ['a 500', () => check(500, ours('server_error'))],
    ['a 4xx that is not our error', () => check(431, '<h1>Too large</h1>')],
    ['a 5xx without a code', () => check(503, ours(null))],
    ['half a JSON', () => check(200, '{"a":')],
    ['an error event without a reason', () => check(200, `data: ${ours('server_error')}\n\n`, 'text/event-stream')],
  ])('fails with %s', (_, run) => {
    expect(run().failure).not.toBeNull();
  });
});

describe('the replies to raw bytes', () => {
  const reply = 'HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}';

  it('are read one after another, and only whole ones', () => {
    expect(readReplies(reply + reply)).toEqual([
      { status: 404, body: '{}' },
      { status: 404, body: '{}' },
    ]);
    expect(readReplies(reply.slice(0, -1))).toEqual([]);
  });

  it('fail when one is missing that must come, or is not ours', () => {
    const raw = { name: 'pipelined', pieces: [], replies: 2 };
    const right = { status: 404, body: ours('not_found') };
    expect(checkRaw(raw, { replies: [right, right], end: 'enough' }).failure).toBeNull();
    expect(checkRaw(raw, { replies: [right], end: 'quiet' }).failure).toBe('1 replies instead of 2, then quiet');
    expect(checkRaw(raw, { replies: [right, { status: 400, body: 'x' }], end: 'enough' }).failure).toContain(
      'not our error',
    );
  });
});
