// @module-tag slow
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createApi } from '../../src/api/api.ts';
import type { RequestContext } from '../../src/api/context.ts';
import { type Api, errorReply } from '../../src/api/http/http.ts';
import { plainKeys } from '../../src/api/keys/plain.ts';
import type { BodyLimits } from '../../src/server/bodies.ts';
import { chooseHttp } from '../../src/server/http.ts';
import { type Server, startHttpServer } from '../../src/server/server.ts';
import { createContext, createFakeRunner, done, finish, hello, text } from '../api/fixtures.ts';

const HOST = '127.0.0.1';
/** For what is awaited on a busy machine. */
const SOON = { timeout: 10_000 };

const sockets: Socket[] = [];
let server: Server | undefined;

describe.each(['auto', 'node'])('with the HTTP server of choice %s', (wanted) => {
  async function listen(api: Api, limits: Partial<BodyLimits> = {}): Promise<void> {
    const bodyLimits = { bytes: 1024 * 1024, inFlightBytes: 4 * 1024 * 1024, timeMs: 60_000, ...limits };
    const http = chooseHttp(wanted);
    server = await startHttpServer({ api, host: HOST, port: 0, allowedHosts: [], bodyLimits, http });
  }

  const apiOf = (overrides: Partial<RequestContext> = {}) => createApi(createContext(overrides).context);

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server?.close(0);
    server = undefined;
  });

  /** Opens a connection and sends this much of a chat request. */
  function send(head: string, body: string | Buffer = ''): Socket {
    const socket = connect(server?.port ?? 0, HOST);
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${head}\r\n\r\n`,
    );
    socket.write(body);
    return socket;
  }

  /** The status and the error's code of the first answer on a connection. */
  async function answerOn(socket: Socket): Promise<string> {
    let said = '';
    for await (const piece of socket) {
      said += piece;
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(said) ?? [];
      const [, code] = /"code":"?(\w+)/.exec(said) ?? [];
      if (status && (code || said.endsWith('0\r\n\r\n') || /"object":/.test(said)))
        return `${status} ${code ?? ''}`.trim();
    }
    return said;
  }

  function chat(fields = ''): string {
    return `{"model":"tiny","messages":[{"role":"user","content":"hi"}]${fields && `,${fields}`}}`;
  }

  describe('a request body', () => {
    it('that says itself that it is too large is answered at once, before any of it has come', async () => {
      await listen(apiOf());
      for (const length of [1024 * 1024 + 1, 4 * 1024 ** 3, 1e15])
        expect(await answerOn(send(`content-length: ${length}`))).toBe('413 body_too_large');
    });

    it('that turns out to be too large is answered before all of it has come', async () => {
      await listen(apiOf(), { bytes: 10_000 });
      const piece = 'x'.repeat(5000);
      const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
      expect(await answerOn(send('transfer-encoding: chunked', chunk.repeat(3)))).toBe('413 body_too_large');
    });

    it.each([
      ['nested too deep', `{"a":${'['.repeat(200)}`, 'body_too_deep'],
      ['of too many values', `{"a":[${'"x",'.repeat(100_000)}`, 'body_too_many_values'],
      ['with a key that is too long', `{"${'k'.repeat(300)}":1`, 'body_key_too_long'],
    ])('%s is answered before all of it has come', async (_, body, code) => {
      await listen(apiOf());
      // Small pieces are gathered, so this much more has to come until they are looked at.
      expect(await answerOn(send('content-length: 1000000', body + ' '.repeat(70_000)))).toBe(`400 ${code}`);
    });

    it('that comes in single bytes, or cut within a character, is read as it was meant', async () => {
      let read = '';
      await listen(async (request) => {
        read = await request.text();
        return { status: 200, headers: {}, body: '"object":' };
      });
      const bytes = Buffer.from('größe 😀 漢字');
      const chunks = [...bytes].map((byte) =>
        Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]),
      );
      await answerOn(send('transfer-encoding: chunked', Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])));
      expect(read).toBe('größe 😀 漢字');
    });

    it('that comes in too many small pieces is answered before all of it has come', async () => {
      await listen(apiOf());
      const pieces = '1\r\nx\r\n'.repeat(20_000);
      expect(await answerOn(send('transfer-encoding: chunked', pieces))).toBe('400 body_in_small_pieces');
    });

    it('that is no UTF-8 has U+FFFD in its place', async () => {
      let read = '';
      await listen(async (request) => {
        read = await request.text();
        return { status: 200, headers: {}, body: '"object":' };
      });
      await answerOn(send('content-length: 4', Buffer.from([0x61, 0xff, 0x62, 0xc3])));
      expect(read).toBe('a\ufffdb\ufffd');
    });

    it('that takes too long is answered with 408', async () => {
      await listen(apiOf(), { timeMs: 100 });
      expect(await answerOn(send('content-length: 1000', '{'))).toBe('408 body_too_slow');
    });

    it('may have a chunk with an extension, or is refused soon: no such request stays without an answer', async () => {
      await listen(apiOf());
      const body = chat();
      const chunk = `${body.length.toString(16)};a=b\r\n${body}\r\n0\r\n\r\n`;
      const expected = wanted === 'node' ? '200' : '408 body_too_slow';
      expect(await answerOn(send('transfer-encoding: chunked', chunk))).toBe(expected);
    });

    it('finds no room beside others that fill it, and finds it when they are gone', async () => {
      await listen(apiOf(), { inFlightBytes: 300_000 });
      const filling = [1, 2].map(() => send('content-length: 150000', `{"user":"${'x'.repeat(140_000)}`));
      const body = chat(`"user":"${'x'.repeat(30_000)}"`);
      const head = `content-length: ${body.length}`;
      await expect.poll(() => answerOn(send(head, body)), SOON).toBe('503 overloaded');
      // The declared length is enough to know it.
      const [answer] = (await once(send(head), 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/retry-after: \d+\r\n/i);
      expect(answer.toString()).toContain('as much memory as they may, 300000 bytes');
      for (const one of filling) one.destroy();
      await expect.poll(() => answerOn(send(head, body)), SOON).toBe('200');
    });

    it('keeps its place until its request is answered', async () => {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const runner = createFakeRunner(async function* () {
        yield text('a');
        await released;
        yield finish();
        yield done();
      });
      const body = chat(`"user":"${'x'.repeat(10_000)}"`);
      await listen(apiOf({ runner }), { inFlightBytes: body.length + 1000 });
      const first = send(`content-length: ${body.length}`, body);
      await expect.poll(() => runner.asked.length).toBe(1);
      expect(await answerOn(send(`content-length: ${body.length}`, body))).toBe('503 overloaded');
      release();
      expect(await answerOn(first)).toBe('200');
      await expect.poll(() => answerOn(send(`content-length: ${body.length}`, body)), SOON).toBe('200');
    });

    it('keeps room for its large reply too, until the client has read it', async () => {
      const large = 'ü'.repeat(16 * 1024 * 1024);
      const api: Api = (request) =>
        request.text().then(
          () => ({ status: 200, headers: {}, body: `{"object":"${large}"}` }),
          (error: unknown) => errorReply(error),
        );
      await listen(api, { inFlightBytes: large.length });
      const slow = send('content-length: 1', 'x');
      await once(slow, 'readable');
      expect(await answerOn(send('content-length: 1', 'x'))).toBe('503 overloaded');
      let bytes = 0;
      for await (const piece of slow) {
        bytes += piece.length;
        if (String(piece).endsWith('0\r\n\r\n')) break;
      }
      expect(bytes).toBeGreaterThan(2 * large.length);
    });

    it('frees the room of a large reply that the client does not read', async () => {
      const large = 'ü'.repeat(16 * 1024 * 1024);
      const api: Api = (request) =>
        request.text().then(
          (text) => ({ status: 200, headers: {}, body: `{"object":"${text === 'x' ? large : ''}"}` }),
          (error: unknown) => errorReply(error),
        );
      await listen(api, { inFlightBytes: large.length });
      const unread = send('content-length: 1', 'x');
      unread.pause();
      const small = () => answerOn(send('content-length: 1', 'y'));
      await expect.poll(small, SOON).toBe('503 overloaded');
      await expect.poll(small, { timeout: 25_000 }).toBe('200');
    });

    it('of 20 clients without a key is not read at all', async () => {
      await listen(apiOf({ apiKeys: plainKeys(['sk-one']) }), { inFlightBytes: 1000 });
      const large = 'x'.repeat(500_000);
      const answers = Array.from({ length: 20 }, () => answerOn(send('content-length: 500000', large)));
      expect(new Set(await Promise.all(answers))).toEqual(new Set(['401 invalid_api_key']));
      const body = JSON.stringify(hello);
      const known = send(`authorization: Bearer sk-one\r\ncontent-length: ${body.length}`, body);
      expect(await answerOn(known)).toBe('200');
    });
  });
});
