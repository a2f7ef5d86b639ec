// @module-tag slow
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../src/api/api.ts';
import { chooseHttp } from '../../src/server/http.ts';
import { type Server, startHttpServer } from '../../src/server/server.ts';
import { openStaticFiles } from '../../src/server/static.ts';
import { createContext } from '../api/fixtures.ts';

const HOST = '127.0.0.1';
const removed: string[] = [];
let server: Server;
let open: Server;

describe.each(['auto', 'node'])('with the HTTP server of choice %s', (wanted) => {
  beforeAll(async () => {
    const { context } = createContext({ remover: { remove: async (id) => void removed.push(id) } });
    const bodyLimits = { bytes: 1024, inFlightBytes: 4096, timeMs: 10_000 };
    const files = openStaticFiles(new Map([['index.html', 'package.json']]));
    const options = { api: createApi(context), files, host: HOST, port: 0, bodyLimits, http: chooseHttp(wanted) };
    removed.length = 0;
    server = await startHttpServer({ ...options, allowedHosts: ['models.example'] });
    open = await startHttpServer({ ...options, allowedHosts: null });
  });
  afterAll(async () => {
    await server?.close(0);
    await open?.close(0);
  });

  /** Sends bytes as they are and gives what comes back: one whole reply, else all until it is quiet or the connection ends. */
  function send(bytes: string, { port }: Server = server): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(port, HOST);
      let said = '';
      const end = () => {
        socket.destroy();
        resolve(said);
      };
      socket.on('error', end).on('close', end);
      socket.on('data', (data) => {
        said += data;
        // After a reply to HEAD nothing may come, so that is waited for.
        if (!bytes.startsWith('HEAD') && isWhole(said)) end();
      });
      socket.setTimeout(300, end);
      socket.write(bytes);
    });
  }

  /** Sends bytes as they are and gives all that comes back before the server closes the connection. */
  function sendToEnd(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(server.port, HOST);
      let said = '';
      socket.setEncoding('latin1').on('data', (data) => {
        said += data;
      });
      socket.on('error', () => {}).on('close', () => resolve(said));
      socket.setTimeout(5000, () => {
        socket.destroy();
        reject(new Error(`the connection is still open after ${said}`));
      });
      socket.write(bytes);
    });
  }

  const get = (host: string, path = '/v1/models', more = '') => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${more}\r\n`;
  const statusOf = (reply: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1]);

  describe('a request to a host name', () => {
    it.each([
      'localhost',
      'localhost:1337',
      '127.0.0.1:1337',
      '[::1]:80',
      '[::ffff:127.0.0.1]:1337',
      'app.localhost',
      'models.example',
      'models.example:80',
    ])('of this machine or on the list is answered: %s', async (host) => {
      expect(statusOf(await send(get(host)))).toBe(200);
      expect(statusOf(await send(get(host, '/')))).toBe(200);
    });

    it.each(['evil.example', 'evil.example:1337', 'localhost.evil.example', '192.168.1.5', '[::ffff:c0a8:105]'])(
      'that a web page may have given to this machine is refused, for the API and for files: %s',
      async (host) => {
        for (const path of ['/v1/models', '/health', '/openapi.json', '/', '/nothing']) {
          const reply = await send(get(host, path));
          expect(statusOf(reply)).toBe(403);
          expect(reply).toContain('content-type: application/json');
          expect(reply).toMatch(/x-request-id: \S+/);
          const { error } = JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')));
          expect(error).toMatchObject({ type: 'permission_error', code: 'host_not_allowed' });
          expect(error.message).toContain('--allowed-host');
        }
      },
    );

    it('that is refused is explained on a page to a person who opens it in a browser', async () => {
      const accept = 'accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n';
      const reply = await send(get('my-pc.lan:1337', '/', accept));
      expect(statusOf(reply)).toBe(403);
      expect(reply).toContain('content-type: text/html; charset=utf-8');
      expect(reply).toContain("content-security-policy: default-src 'none'");
      expect(reply).toMatch(/x-request-id: \S+/);
      expect(reply).toContain('npm start -- --allowed-host my-pc.lan\npaddock serve --allowed-host my-pc.lan<');
      expect(reply).not.toContain('<script');
      expect(await send(get('evil.example', '/', 'accept: */*\r\n'))).toContain('content-type: application/json');
      const post = 'POST / HTTP/1.1\r\nhost: evil.example\r\naccept: text/html\r\ncontent-length: 0\r\n\r\n';
      expect(await send(post)).toContain('content-type: application/json');
    });

    it('that is refused writes no markup into that page', async () => {
      const reply = await send(get("a'<script>alert(1)</script>", '/', 'accept: text/html\r\n'));
      expect(statusOf(reply)).toBe(403);
      expect(reply).not.toMatch(/<script|'</);
    });

    it('that is refused removes no model, whatever origin it names', async () => {
      for (const origin of ['http://evil.example:1337', 'http://localhost:1337'])
        await send(`DELETE /v1/models/tiny HTTP/1.1\r\nhost: evil.example:1337\r\norigin: ${origin}\r\n\r\n`);
      expect(removed).toEqual([]);
      await send('DELETE /v1/models/tiny HTTP/1.1\r\nhost: localhost\r\n\r\n');
      expect(removed).toEqual(['tiny']);
    });

    it('is answered whatever the name is where no names are listed and the server is for other machines', async () => {
      expect(statusOf(await send(get('evil.example'), open))).toBe(200);
    });
  });

  describe('HEAD', () => {
    const head = (path: string) => send(`HEAD ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    const lengthOf = (reply: string) => /content-length: (\d+)/i.exec(reply)?.[1];

    it.each(['/health', '/ready', '/v1/models', '/openapi.json', '/'])('of %s is GET without a body', async (path) => {
      const [asked, whole] = [await head(path), await send(get('localhost', path))];
      expect(statusOf(asked)).toBe(200);
      expect(asked).toMatch(/\r\n\r\n$/);
      expect(lengthOf(asked)).toBe(lengthOf(whole));
    });

    it('of what takes no GET, or is not there, is an error without a body', async () => {
      for (const [path, status] of [
        ['/v1/chat/completions', 405],
        ['/v1/nothing', 404],
      ] as const) {
        const reply = await head(path);
        expect(statusOf(reply)).toBe(status);
        expect(reply).toMatch(/\r\n\r\n$/);
      }
    });
  });

  describe('the head of a request', () => {
    it('has room for long keys and many cookies', async () => {
      expect(
        statusOf(await send(get('localhost', '/v1/models', `authorization: Bearer ${'k'.repeat(8000)}\r\n`))),
      ).toBe(200);
      expect(statusOf(await send(get('localhost', '/v1/models', `cookie: ${'c'.repeat(30_000)}\r\n`)))).toBe(200);
    });

    it.each([
      ['a header', get('localhost', '/v1/models', `authorization: Bearer ${'k'.repeat(40_000)}\r\n`)],
      [
        'many headers',
        get('localhost', '/v1/models', Array.from({ length: 50 }, (_, i) => `h${i}: ${'x'.repeat(1000)}\r\n`).join('')),
      ],
      ['an address', get('localhost', `/v1/models?${'q'.repeat(40_000)}`)],
    ])('that is too long by %s is refused with our own error', async (_, head) => {
      const reply = await send(head);
      expect(statusOf(reply)).toBe(431);
      expect(reply).toContain('content-type: application/json');
      expect(reply).toContain('"code":"headers_too_large"');
    });

    const headers = (count: number) => Array.from({ length: count }, (_, i) => `h${i}: x\r\n`).join('');

    it('has room for 98 headers', async () => {
      expect(statusOf(await send(get('localhost', '/v1/models', headers(97))))).toBe(200);
    });

    // uWebSockets.js has no hook for these, and answers with a page of its own.
    it.each([
      ['of 99 headers', get('localhost', '/v1/models', headers(98)), 'more than 98 headers'],
      [
        'of more than an HTTP server reads',
        get('localhost', '/v1/models', `x: ${'x'.repeat(70_000)}\r\n`),
        'larger than the limit of 32768 bytes',
      ],
    ])('%s is a 431 too, over node:http with our own error', async (_, head, message) => {
      const reply = await send(head);
      expect(statusOf(reply)).toBe(431);
      expect(reply).toContain(wanted === 'node' ? message : '<h1>Request Header Fields Too Large</h1>');
    });

    const post = (...framing: string[]) =>
      `POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${framing.join('\r\n')}\r\n\r\n`;
    it.each<[string, string]>([
      ['two lengths', `${post('content-length: 2', 'content-length: 9')}{}`],
      ['one length twice', `${post('content-length: 2', 'content-length: 2')}{}`],
      ['two encodings', `${post('transfer-encoding: chunked', 'transfer-encoding: identity')}0\r\n\r\n`],
      ...[
        'chunked, identity',
        'identity, chunked',
        'gzip, chunked',
        'chunked, gzip',
        'chunked, chunked',
        'identity',
        'gzip',
        'xchunked',
      ].map((encoding): [string, string] => [encoding, `${post(`transfer-encoding: ${encoding}`)}0\r\n\r\n`]),
    ])('that leaves open where the body ends is refused, and the connection closed: %s', async (_, bytes) => {
      const reply = await sendToEnd(bytes);
      expect(statusOf(reply)).toBe(400);
      expect(reply).toMatch(/connection: close/i);
      // uWebSockets.js closes without a reply if bytes that look like a second request come along.
      const smuggled = await sendToEnd(bytes + get('localhost'));
      expect(smuggled).not.toMatch(/^HTTP\/1\.1 2/m);
      if (wanted === 'node') expect(statusOf(smuggled)).toBe(400);
    });

    it.each(['chunked', 'Chunked', ' chunked '])('may name the encoding as "%s"', async (encoding) => {
      const reply = await send(`${post(`transfer-encoding: ${encoding}`)}2\r\n{}\r\n0\r\n\r\n`);
      expect([statusOf(reply), reply]).toEqual([400, expect.stringContaining('"param":"model"')]);
    });

    it.each([
      ['no request at all', 'hello\r\n\r\n'],
      ['no host', 'GET /v1/models HTTP/1.1\r\n\r\n'],
      ['two hosts', 'GET /v1/models HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n'],
      ['an unknown version', 'GET /v1/models HTTP/9.9\r\nhost: localhost\r\n\r\n'],
      ['an old version', 'GET /v1/models HTTP/1.0\r\nhost: localhost\r\n\r\n'],
      ['bare line feeds', 'GET /v1/models HTTP/1.1\nhost: localhost\n\n'],
      ['a space before a colon', 'GET /v1/models HTTP/1.1\r\nhost : localhost\r\n\r\n'],
      ['a header without a colon', 'GET /v1/models HTTP/1.1\r\nhost: localhost\r\nnonsense\r\n\r\n'],
      ['a folded header', 'GET /v1/models HTTP/1.1\r\nhost: localhost\r\nx-a: b\r\n c\r\n\r\n'],
      ['a zero byte', 'GET /v1/models HTTP/1.1\r\nhost: local\0host\r\n\r\n'],
      ['a length that is no number', 'POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n'],
      ['a negative length', 'POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n'],
      [
        'an impossible length',
        'POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999999999999\r\n\r\n',
      ],
      [
        'a length and chunks',
        'POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\nx',
      ],
      [
        'chunks of no size',
        'POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      ],
      ['101 headers', get('localhost', '/v1/models', Array.from({ length: 101 }, (_, i) => `h${i}: x\r\n`).join(''))],
      ['a head of 100 KB', get('localhost', '/v1/models', `x: ${'x'.repeat(100_000)}\r\n`)],
      ['an address of another server', 'GET http://evil.example/v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n'],
      ['a tunnel', 'CONNECT evil.example:80 HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ])('that is malformed does no harm: %s', async (_, bytes) => {
      expect(await send(bytes)).not.toMatch(/^HTTP\/1\.1 2/);
      expect(statusOf(await send(get('localhost')))).toBe(200);
    });
  });
});

/** True once a reply has all of the body that its head declares. */
function isWhole(reply: string): boolean {
  const head = reply.indexOf('\r\n\r\n');
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(reply)?.[1]);
  return head >= 0 && Buffer.byteLength(reply) >= head + 4 + length;
}
