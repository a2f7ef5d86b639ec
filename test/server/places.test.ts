import { existsSync, lstatSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Api, errorReply } from '../../src/api/http/http.ts';
import { chooseHttp } from '../../src/server/http.ts';
import { type HttpServerOptions, type Server, startHttpServer } from '../../src/server/server.ts';
import { makeCertificate } from '../kit/files/certificate.ts';

const BODY_LIMITS = { bytes: 1024 * 1024, inFlightBytes: 4 * 1024 * 1024, timeMs: 10_000 };

let folder: string;
let servers: Server[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paddock-places-'));
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close(0)));
  rmSync(folder, { recursive: true });
});

/** Says the body of the request in two pieces. */
const echo: Api = async ({ method, path, refusal, text }) => {
  if (refusal) return errorReply(refusal);
  const body = method === 'POST' ? await text() : path;
  const pieces = (async function* () {
    yield body.slice(0, body.length / 2);
    await new Promise(setImmediate);
    yield body.slice(body.length / 2);
  })();
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: pieces };
};

interface Sent {
  status: number | undefined;
  body: string;
}

function finish(response: IncomingMessage): Promise<Sent> {
  return response.toArray().then((pieces) => ({ status: response.statusCode, body: Buffer.concat(pieces).toString() }));
}

describe.each(['auto', 'node'])('with the HTTP server of choice %s', (wanted) => {
  async function start(options: Partial<HttpServerOptions>): Promise<Server> {
    const place = { host: '127.0.0.1', port: 0, allowedHosts: [], bodyLimits: BODY_LIMITS, http: chooseHttp(wanted) };
    const server = await startHttpServer({ api: echo, ...place, ...options });
    servers.push(server);
    return server;
  }

  describe('a server with a certificate', () => {
    const certificate = makeCertificate();

    async function startTls(): Promise<Server> {
      const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
      writeFileSync(tls.cert, certificate.cert);
      writeFileSync(tls.key, certificate.key);
      return start({ tls });
    }

    const ask = (port: number, options: object = {}, body?: string) =>
      new Promise<Sent>((resolve, reject) => {
        const settings = { host: '127.0.0.1', port, path: '/v1/models', ca: certificate.cert, ...options };
        httpsRequest(settings, (response) => resolve(finish(response)))
          .once('error', reject)
          .end(body);
      });

    it('answers clients that trust it, whole bodies and streams alike', async () => {
      const { port } = await startTls();
      expect(await ask(port)).toEqual({ status: 200, body: '/v1/models' });
      const body = 'größe 😀'.repeat(20_000);
      expect(await ask(port, { method: 'POST' }, body)).toEqual({ status: 200, body });
    });

    it('is refused by clients that do not trust it', async () => {
      const { port } = await startTls();
      await expect(ask(port, { ca: undefined })).rejects.toThrow(/self-signed certificate/);
    });

    it('speaks TLS 1.2 and 1.3, and nothing older', async () => {
      const { port } = await startTls();
      for (const version of ['TLSv1.2', 'TLSv1.3'])
        expect(await ask(port, { minVersion: version, maxVersion: version })).toMatchObject({ status: 200 });
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
      await expect(ask(port, old)).rejects.toThrow();
    });

    it('answers no plain HTTP, and goes on after a try', async () => {
      const { port } = await startTls();
      const plain = new Promise<string>((resolve) => {
        httpRequest({ host: '127.0.0.1', port }, () => resolve('answered'))
          .once('error', () => resolve('refused'))
          .end();
      });
      expect(await plain).toBe('refused');
      expect(await ask(port)).toMatchObject({ status: 200 });
    });

    it('answers only to the host names that it may', async () => {
      const { port } = await startTls();
      expect(await ask(port, { headers: { host: 'evil.example' }, servername: 'localhost' })).toMatchObject({
        status: 403,
      });
    });
  });

  describe('a server at a Unix socket', () => {
    const socket = () => join(folder, 'paddock.sock');

    const ask = (path = socket(), body?: string, agent: HttpAgent | false = false) =>
      new Promise<Sent>((resolve, reject) => {
        const settings = { socketPath: path, path: '/v1/models', method: body === undefined ? 'GET' : 'POST', agent };
        httpRequest(settings, (response) => resolve(finish(response)))
          .once('error', reject)
          .end(body);
      });

    it('answers, whole bodies and streams alike', async () => {
      await start({ socket: socket() });
      expect(await ask()).toEqual({ status: 200, body: '/v1/models' });
      const body = 'größe 😀'.repeat(20_000);
      expect(await ask(socket(), body)).toEqual({ status: 200, body });
    });

    it('lets its owner and its group connect, and nobody else', async () => {
      await start({ socket: socket() });
      expect((lstatSync(socket()).mode & 0o777).toString(8)).toBe('660');
    });

    it('takes the place of a socket that a killed server has left behind', async () => {
      // Node removes the file when it closes; one that is moved away stays.
      const left = createServer();
      await new Promise<void>((resolve) => left.listen(join(folder, 'other.sock'), resolve));
      renameSync(join(folder, 'other.sock'), socket());
      await new Promise((resolve) => left.close(resolve));
      expect(existsSync(socket())).toBe(true);
      await start({ socket: socket() });
      expect(await ask()).toMatchObject({ status: 200 });
    });

    it('does not start where another server listens, which goes on', async () => {
      await start({ socket: socket() });
      await expect(start({ socket: socket() })).rejects.toThrow(/paddock\.sock is in use/);
      expect(await ask()).toMatchObject({ status: 200 });
    });

    it('does not start where a file of another kind is, which stays', async () => {
      writeFileSync(socket(), 'mine');
      await expect(start({ socket: socket() })).rejects.toThrow(/is there and is no socket/);
      expect(lstatSync(socket()).isFile()).toBe(true);
    });

    it('does not start where there is no folder, or where the path is too long for the system', async () => {
      await expect(start({ socket: join(folder, 'nowhere', 'a.sock') })).rejects.toThrow(
        /nowhere, the folder of --socket, is not there or may not be written to/,
      );
      const long = join(folder, 'x'.repeat(100));
      await expect(start({ socket: long })).rejects.toThrow(/may have 103 bytes/);
    });

    it('removes the file as soon as it accepts no more, so that a next server finds room', async () => {
      const server = await start({ socket: socket() });
      const agent = new HttpAgent({ keepAlive: true });
      await ask(socket(), undefined, agent);
      const closed = server.close(0);
      await closed;
      agent.destroy();
      expect(existsSync(socket())).toBe(false);
    });

    it('leaves the file of the server that came after it', async () => {
      let answer: () => void = () => {};
      const answered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      let come: () => void = () => {};
      const came = new Promise<void>((resolve) => {
        come = resolve;
      });
      const slow: Api = async () => {
        come();
        await answered;
        return { status: 200, headers: {}, body: 'late' };
      };
      const first = await start({ socket: socket(), api: slow });
      const pending = ask();
      await came;
      const closed = first.close(5000);
      await start({ socket: socket() });
      answer();
      expect(await pending).toEqual({ status: 200, body: 'late' });
      await closed;
      expect(await ask()).toEqual({ status: 200, body: '/v1/models' });
    });
  });
});
