import { describe, expect, it } from 'vitest';
import { serverError } from '../../../src/contract/errors.ts';
import { checkRaw, checkReply } from './check.ts';
import { readReplies } from './raw-exchange.ts';

const ours = (code: string | null) =>
  JSON.stringify({ error: { message: 'No.', type: 'invalid_request_error', code, param: null } });
const check = (status: number, text: string, type = 'application/json') =>
  checkReply({ method: 'POST', path: '/v1/chat/completions' }, status, type, text);

const messages = { method: 'POST', path: '/v1/messages' };
const ollama = { method: 'POST', path: '/api/chat' };
const failed = `event: response.failed\ndata: {"response": ${ours('server_error')}}\n\n`;
const plain500 = `{"message": {}}\n{"error": "${serverError().message}"}\n`;

describe('a reply to a fuzzed request', () => {
  it('is fine as an error in the words of its API', () => {
    const anthropic = '{"type": "error", "error": {"type": "x", "message": "No.", "details": {"error_code": "y"}}}';
    expect(checkReply(messages, 400, 'application/json', anthropic).failure).toBeNull();
    expect(checkReply(ollama, 404, 'application/json', '{"error": "No."}').failure).toBeNull();
    expect(checkReply(ollama, 200, 'application/x-ndjson', '{"done": false}\n{"done": true}\n').failure).toBeNull();
  });

  it('is fine as JSON, as a stream, or as one of our errors', () => {
    expect(check(200, '{}')).toEqual({ name: '200 /v1/chat', failure: null });
    expect(check(200, 'data: {}\n\ndata: [DONE]\n\n', 'text/event-stream').failure).toBeNull();
    expect(check(400, ours('invalid_json'))).toEqual({ name: '400 invalid_json', failure: null });
    expect(check(503, ours('overloaded')).failure).toBeNull();
  });

  it.each([
    ['a 500', () => check(500, ours('server_error'))],
    ['a 4xx that is not our error', () => check(431, '<h1>Too large</h1>')],
    ['an error without a code', () => check(503, ours(null))],
    ['an error in the words of another API', () => checkReply(messages, 400, 'application/json', ours('invalid_json'))],
    ['a response that failed', () => check(200, failed, 'text/event-stream')],
    ['lines that end with a plain 500', () => checkReply(ollama, 200, 'application/x-ndjson', plain500)],
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
