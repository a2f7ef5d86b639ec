// @module-tag slow
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, ListenOptions } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { SETTINGS, type Setting } from '../../src/serve/config/settings.ts';
import { makeCertificate } from '../kit/files/certificate.ts';

const dockerfile = readFileSync('deploy/container/Dockerfile', 'utf8');
/** The instructions of the last stage, which is the image. */
const image = dockerfile
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .join('\n')
  .split(/^(?=FROM )/m)
  .at(-1) as string;
const { version, engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  engines: { node: string };
};

describe('deploy/container/Dockerfile', () => {
  it('has nothing that its linter complains of', () => {
    expect(validate(dockerfile).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  });

  it('would be complained of if it were wrong', () => {
    expect(validate(dockerfile.replace('EXPOSE 1337', 'EXPOSE port'))).not.toEqual([]);
    expect(validate(dockerfile.replace('WORKDIR /src', 'WORKDIRR /src'))).not.toEqual([]);
  });

  it('runs as nobody in particular, in the form that passes signals on', () => {
    expect(image).toMatch(/^USER 10001:10001$/m);
    expect(image).toMatch(/^ENTRYPOINT \["node", "dist\/programs\/paddock\.js"\]$/m);
    expect(image).toMatch(/^HEALTHCHECK .* CMD \["node", "health\.mjs"\]$/m);
  });

  it('neither installs nor builds in the image itself', () => {
    expect(image).not.toMatch(/npm (?:ci|install|run)|apt-get|apk /);
    expect(image).toContain('rm -rf /usr/local/lib/node_modules');
  });

  it('sets variables of the server that there are, and exposes its port', () => {
    const set = [...image.matchAll(/\b(PADDOCK_\w+)=/g)].map(([, name]) => name);
    const known = Object.values(SETTINGS).map((setting) => (setting as Setting<unknown>).env);
    expect(set).toEqual(['PADDOCK_HOST', 'PADDOCK_MODELS', 'PADDOCK_HOME']);
    expect(set.filter((name) => name !== 'PADDOCK_HOME' && !known.includes(name as string))).toEqual([]);
    expect(image).toContain(`EXPOSE ${SETTINGS.port.fallback({})}`);
  });

  it('takes a Node that Paddock runs on, and names the version of Paddock', () => {
    const [, major = '0', minor = '0'] = /^ARG NODE_VERSION=(\d+)\.(\d+)/m.exec(dockerfile) ?? [];
    const [, least = '0', leastMinor = '0'] = /(\d+)\.(\d+)/.exec(engines.node) ?? [];
    expect(Number(major) * 1000 + Number(minor)).toBeGreaterThanOrEqual(Number(least) * 1000 + Number(leastMinor));
    expect(dockerfile).toContain(`paddock:${version}`);
    expect(readFileSync('deploy/kubernetes/base/kustomization.yaml', 'utf8')).toContain(`newTag: ${version}`);
  });
});

describe('.dockerignore', () => {
  it('leaves out what git ignores, so that the image is built from what git has', () => {
    const left = readFileSync('.dockerignore', 'utf8').split('\n');
    const ignored = readFileSync('.gitignore', 'utf8').split('\n').filter(Boolean);
    const bare = (line: string) => line.replace(/^(!?)(?:\*\*\/)?/, '$1').replace(/\/$/, '');
    expect(ignored.filter((line) => !left.map(bare).includes(bare(line)))).toEqual([]);
  });
});

describe('the health check of the container', () => {
  let folder: string | undefined;
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    if (folder) rmSync(folder, { recursive: true });
    [server, folder] = [undefined, undefined];
  });

  const check = (env: Record<string, string>) =>
    new Promise<number | null>((resolve) => {
      const child = spawn(process.execPath, ['deploy/container/health.mjs'], { env });
      child.once('exit', resolve);
    });

  async function listen(made: Server, place: ListenOptions): Promise<number> {
    server = made;
    await new Promise<void>((resolve) => made.listen(place, resolve));
    const address = made.address() as AddressInfo | string;
    return typeof address === 'string' ? 0 : address.port;
  }

  it.each([
    [200, 0],
    [503, 1],
  ])('takes a %d for code %d', async (status, code) => {
    const asked: string[] = [];
    const made = createHttp(({ url = '', headers }, res) => {
      asked.push(`${headers.host}${url}`);
      res.writeHead(status).end();
    });
    const port = await listen(made, { port: 0, host: '127.0.0.1' });
    expect(await check({ PADDOCK_PORT: String(port) })).toBe(code);
    expect(asked).toEqual(['localhost/health']);
  });

  it('asks over HTTPS where the server has a certificate, and at a Unix socket where it has one', async () => {
    const answer = (_: unknown, res: { end(): void }) => res.end();
    const port = await listen(createHttps(makeCertificate(), answer), { port: 0, host: '127.0.0.1' });
    expect(await check({ PADDOCK_PORT: String(port), PADDOCK_TLS_CERT: '/cert.pem' })).toBe(0);
    expect(await check({ PADDOCK_PORT: String(port) })).toBe(1);
    server?.close();
    folder = mkdtempSync(join(tmpdir(), 'paddock-health-'));
    const path = join(folder, 'a.sock');
    await listen(createHttp(answer), { path });
    expect(await check({ PADDOCK_SOCKET: path })).toBe(0);
    writeFileSync(join(folder, 'b.sock'), '');
    expect(await check({ PADDOCK_SOCKET: join(folder, 'b.sock') })).toBe(1);
  });

  it('says that nothing is well where nothing listens', async () => {
    expect(await check({ PADDOCK_PORT: '1' })).toBe(1);
  });
});
