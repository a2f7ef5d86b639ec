import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listPaddockSite, type PaddockServer, type ServerOptions, startServer } from 'paddock';
import { afterAll, beforeAll, describe, expect, expectTypeOf, inject, it, onTestFinished, vi } from 'vitest';
import type { Config, SettingName } from '../../src/serve/config/settings.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'paddock-library-'));
  vi.stubEnv('PADDOCK_HOME', home);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

/** Starts a server until the end of the test at the latest. */
async function start(options?: ServerOptions): Promise<PaddockServer> {
  const server = await startServer(options);
  onTestFinished(server.close);
  return server;
}

describe('startServer', () => {
  it('serves on a free port of this machine, with the built-in model', async () => {
    const { url } = await start();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    expect(await (await fetch(`${url}/v1/models`)).json()).toMatchObject({ data: [{ id: 'pico' }] });
  });

  it('answers from the models of a folder', async () => {
    const server = await start({ models: inject('modelsFolder'), backend: 'cpu', threads: 1 });
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tiny', max_tokens: 3, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(await response.json()).toMatchObject({ usage: { completion_tokens: 3 } });
  });

  it('serves the chat page', async () => {
    const server = await start();
    expect(await (await fetch(server.url)).text()).toContain('<title>');
  });

  it('runs several servers in one process, each on its own port and with its own keys', async () => {
    const servers = await Promise.all([start(), start({ apiKey: 'secret' })]);
    const statuses = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/v1/models`)).status));
    expect(statuses).toEqual([200, 401]);
  });

  it('handles no signals', async () => {
    const before = SIGNALS.map((signal) => process.listenerCount(signal));
    await start();
    expect(SIGNALS.map((signal) => process.listenerCount(signal))).toEqual(before);
  });

  it('listens no more after close, which may be called again', async () => {
    const { url, close } = await startServer();
    await Promise.all([close(), close()]);
    await close();
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe('the options of startServer', () => {
  it('are the settings of the command line, by name and by type', () => {
    type Given<T> = T extends string[] ? string | T : Exclude<T, undefined>;
    expectTypeOf<Required<ServerOptions>>().toEqualTypeOf<{ [Name in SettingName]: Given<Config[Name]> }>();
  });

  it.each([
    [{ port: 70_000 }, '"port" in the options object of startServer must be an integer between 0 and 65535'],
    [{ slots: 0 }, '"slots" in the options object of startServer must be an integer between 1 and 256'],
    [{ models: '' }, '"models" in the options object of startServer must not be empty'],
  ])('are validated: %j', async (options, message) => {
    await expect(startServer(options)).rejects.toThrow(message);
  });

  it('have known names only', async () => {
    const misspelt = { prot: 1 } as ServerOptions;
    await expect(startServer(misspelt)).rejects.toThrow(
      /^the options object of startServer has the unknown key "prot"; the keys are host, port/,
    );
  });

  it('expose the server to other machines only with a key, or where none is wanted', async () => {
    await expect(startServer({ host: '0.0.0.0' })).rejects.toThrow(
      /0\.0\.0\.0 is reachable.*--api-key or --api-key-file, .*--no-auth/,
    );
    await start({ host: '0.0.0.0', apiKey: 'secret' });
    await start({ host: '0.0.0.0', noAuth: true });
  });

  it('may name a port that is taken, which is an error and leaves nothing running', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    await expect(startServer({ port })).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`);
    other.close();
  });

  it('are all that counts: neither the environment nor config.json does', async () => {
    vi.stubEnv('PADDOCK_API_KEYS', 'secret');
    vi.stubEnv('PADDOCK_PORT', '1');
    await writeFile(join(home, 'config.json'), JSON.stringify({ host: '127.0.0.2' }));
    const { url } = await start();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d{2,}$/);
    expect((await fetch(`${url}/v1/models`)).status).toBe(200);
  });
});

describe('listPaddockSite', () => {
  it('tells where every file of the static site lies', async () => {
    const site = await listPaddockSite();
    expect([...site.keys()]).toEqual(
      expect.arrayContaining([
        'index.html',
        'service-worker.js',
        'paddock/client.js',
        'paddock/wllama.wasm',
        'paddock/compat/wllama.wasm',
        'paddock/models/pico.gguf',
      ]),
    );
    expect([...site.values()].filter((file) => !existsSync(file))).toEqual([]);
  });
});
