import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { makeCertificate } from '../kit/files/certificate.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';
import { until } from '../kit/until.ts';

let folder: string;
let server: RunningServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paddock-serving-'));
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  rmSync(folder, { recursive: true });
});

async function serve(...flags: string[]): Promise<RunningServer> {
  server = await startServer(['--backend', 'cpu', '--threads', '1', '--models', inject('modelsFolder'), ...flags]);
  return server;
}

async function streamed(response: IncomingMessage): Promise<string> {
  return Buffer.concat(await response.toArray()).toString();
}

const BODY = JSON.stringify({
  model: 'tiny',
  stream: true,
  max_tokens: 20,
  messages: [{ role: 'user', content: 'hi' }],
});
const CHAT = { path: '/v1/chat/completions', method: 'POST', headers: { 'content-type': 'application/json' } };

describe('paddock serve with a certificate', () => {
  function write(days: number): { flags: string[]; cert: string } {
    const { cert, key } = makeCertificate(days);
    writeFileSync(join(folder, 'cert.pem'), cert);
    writeFileSync(join(folder, 'key.pem'), key);
    return { flags: ['--tls-cert', join(folder, 'cert.pem'), '--tls-key', join(folder, 'key.pem')], cert };
  }

  it('streams over HTTPS, says so in its ready line, and outlives a SIGHUP, which it explains', async () => {
    const { flags, cert } = write(90);
    const { url, pid, log } = await serve(...flags);
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const ask = () =>
      new Promise<string>((resolve, reject) => {
        const sending = httpsRequest(url, { ...CHAT, ca: cert }, (response) => resolve(streamed(response)));
        sending.once('error', reject).end(BODY);
      });
    expect(await ask()).toMatch(/data: \[DONE\]\n\n$/);
    expect(log()).not.toContain('certificate');
    process.kill(pid, 'SIGHUP');
    await until(() => log().includes('restart the server to change them'));
    expect(await ask()).toMatch(/data: \[DONE\]\n\n$/);
  });

  it.each([
    [-2, 'the TLS certificate has expired'],
    [5, 'the TLS certificate expires soon'],
  ])('warns when it ends in %d days', async (days, message) => {
    const { log } = await serve(...write(days).flags);
    expect(log()).toContain(message);
  });

  it('does not start with a key of another certificate', async () => {
    const { flags } = write(90);
    writeFileSync(join(folder, 'key.pem'), makeCertificate().key);
    await expect(serve(...flags)).rejects.toThrow(/code 2:.*is not the key of the certificate/s);
  });
});

describe('paddock serve at a Unix socket', () => {
  it('streams there, for the names of any proxy, and takes the file away when it ends, or when the next one begins', async () => {
    const socket = join(folder, 'paddock.sock');
    const ask = () =>
      new Promise<string>((resolve, reject) => {
        const headers = { ...CHAT.headers, host: 'models.example' };
        const sending = httpRequest({ ...CHAT, headers, socketPath: socket, agent: false }, (response) =>
          resolve(streamed(response)),
        );
        sending.once('error', reject).end(BODY);
      });
    const first = await serve('--socket', socket);
    expect(first.url).toBe(`unix:${socket}`);
    expect(await ask()).toMatch(/data: \[DONE\]\n\n$/);
    process.kill(first.pid, 'SIGKILL');
    while (
      await ask().then(
        () => true,
        () => false,
      )
    )
      await sleep(20);
    expect(existsSync(socket)).toBe(true);
    const second = await serve('--socket', socket);
    expect(await ask()).toMatch(/data: \[DONE\]\n\n$/);
    expect(await second.stop()).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });
});

describe('paddock for a user of whom the system knows nothing', () => {
  // Only root may become another user.
  it.runIf(process.getuid?.() === 0)('needs no home where PADDOCK_HOME names a folder, as in a container', () => {
    chmodSync(folder, 0o755);
    const nobody = { uid: 54_321, gid: 54_321 };
    const env = { PADDOCK_HOME: folder, PADDOCK_MODELS: folder };
    const out = execFileSync(process.execPath, ['dist/programs/paddock.js', 'list', '--json'], { ...nobody, env });
    expect(JSON.parse(String(out))).toMatchObject([{ id: 'pico' }]);
  });
});
