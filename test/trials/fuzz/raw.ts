import type { Dice } from '../../kit/dice.ts';

/** Bytes for a new connection, and the replies that must come. */
export interface RawCase {
  name: string;
  /** In Latin-1: a character is a byte. */
  pieces: string[];
  /** The number of replies that must come; null if the bytes need not be a request, so that a reply may come or not. */
  replies: number | null;
}

const BODY = '{"model":"nobody","messages":[{"role":"user","content":"x"}]}';

function post(headers: string[], body = BODY): string {
  return [
    'POST /v1/chat/completions HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    ...headers,
    '',
    body,
  ].join('\r\n');
}

const WHOLE = post([`Content-Length: ${BODY.length}`]);
const GET = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

function bytes(dice: Dice, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(dice.below(256))).join('');
}

const KINDS: ((dice: Dice) => RawCase)[] = [
  (dice) => ({ name: 'random bytes', pieces: [bytes(dice, 1 + dice.below(600))], replies: null }),
  (dice) => {
    const at = dice.below(WHOLE.length - BODY.length);
    const text = WHOLE.slice(0, at) + bytes(dice, 1) + WHOLE.slice(at + 1);
    return { name: 'one wrong byte in the head', pieces: [text], replies: null };
  },
  (dice) => ({ name: 'cut off', pieces: [WHOLE.slice(0, dice.below(WHOLE.length))], replies: null }),
  (dice) => ({
    name: 'in small pieces',
    pieces: WHOLE.match(new RegExp(`[\\s\\S]{1,${1 + dice.below(60)}}`, 'g')) ?? [],
    replies: 1,
  }),
  (dice) => ({
    name: 'odd Content-Length',
    pieces: [
      post([`Content-Length: ${dice.pick(['-1', 'x', '1e3', '0x10', ' ', '99999999999999999999', '5, 5', '+5'])}`]),
    ],
    replies: null,
  }),
  (dice) => ({
    name: 'Content-Length too small',
    pieces: [post([`Content-Length: ${dice.below(BODY.length)}`])],
    replies: null,
  }),
  (dice) => ({
    name: 'Content-Length too large',
    pieces: [post([`Content-Length: ${BODY.length + 1 + dice.below(99)}`])],
    replies: null,
  }),
  (dice) => ({
    name: 'declared too large',
    pieces: [post([`Content-Length: ${dice.pick(['4294967296', '34000000'])}`])],
    replies: 1,
  }),
  () => ({
    name: 'two lengths',
    pieces: [post([`Content-Length: ${BODY.length}`, 'Content-Length: 3'])],
    replies: null,
  }),
  () => ({
    name: 'a length and chunks',
    pieces: [post([`Content-Length: ${BODY.length}`, 'Transfer-Encoding: chunked'])],
    replies: null,
  }),
  () => ({
    name: 'chunks',
    pieces: [post(['Transfer-Encoding: chunked'], `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`)],
    replies: 1,
  }),
  (dice) => ({
    name: 'broken chunks',
    pieces: [
      post(
        ['Transfer-Encoding: chunked'],
        `${dice.pick(['-1', 'zz', 'ffffffffffffffff', '5;', ''])}\r\n${BODY}\r\n0\r\n\r\n`,
      ),
    ],
    replies: null,
  }),
  (dice) => ({
    name: 'an odd request line',
    pieces: [
      `${dice.pick(['FOO /health HTTP/1.1', 'get /health HTTP/1.1', 'GET  HTTP/1.1', 'GET /health HTTP/9.9', 'GET /health', 'GET http://x/health HTTP/1.1', 'GET * HTTP/1.1', 'CONNECT x:1 HTTP/1.1', 'PRI * HTTP/2.0', 'TRACE / HTTP/1.1'])}\r\nHost: 127.0.0.1\r\n\r\n`,
    ],
    replies: null,
  }),
  (dice) => ({
    name: 'an odd path',
    pieces: [
      `GET /${dice.pick(['%', '%zz', '..%2f..%2f', 'v1/models/%ff', 'v1/models//', `v1/models/${'a'.repeat(3000)}`, 'v1/models?', '#', 'v1/models/%00', '%2e%2e/'])} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    ],
    replies: 1,
  }),
  () => ({ name: 'no Host', pieces: ['GET /health HTTP/1.1\r\n\r\n'], replies: null }),
  (dice) => ({
    name: 'another Host',
    pieces: [`GET /v1/models HTTP/1.1\r\nHost: ${dice.pick(['evil.example', 'x:1:2', '[::1', '', 'a b'])}\r\n\r\n`],
    replies: null,
  }),
  (dice) => ({
    name: 'long headers',
    pieces: [
      `GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ${'x'.repeat(dice.pick([3000, 20_000, 40_000, 200_000]))}\r\n\r\n`,
    ],
    replies: null,
  }),
  (dice) => ({
    name: 'many headers',
    pieces: [
      `GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n${Array.from({ length: dice.below(400) }, (_, index) => `X-${index}: 1\r\n`).join('')}\r\n`,
    ],
    replies: null,
  }),
  (dice) => {
    const count = 2 + dice.below(6);
    return { name: 'pipelined GET', pieces: [GET.repeat(count)], replies: count };
  },
  (dice) => {
    const count = 2 + dice.below(6);
    return { name: 'pipelined POST', pieces: [WHOLE.repeat(count)], replies: count };
  },
  (dice) => ({
    name: 'GET with a body',
    pieces: [`GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\n${bytes(dice, 5)}`],
    replies: 1,
  }),
  (dice) => ({
    name: 'a body that is no UTF-8',
    pieces: [post(['Content-Length: 50'], bytes(dice, 50))],
    replies: 1,
  }),
];

/** Makes a case of a random kind. */
export function makeRawCase(dice: Dice): RawCase {
  return dice.pick(KINDS)(dice);
}
