import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

/** Starts a server in a new home, with the test models besides the built-in model if `shelf` is true, until the end of the test. */
async function serve(backend: 'cpu' | 'wasm', shelf = false): Promise<RunningServer> {
  const home = await mkdtemp(join(tmpdir(), 'paddock-ahead-'));
  onTestFinished(() => rm(home, { recursive: true }));
  if (shelf) await cp(inject('modelsFolder'), join(home, 'models'), { recursive: true });
  const env = { PADDOCK_HOME: home, PADDOCK_LOG_LEVEL: 'silent' };
  const server = await startServer(['--threads', '1', '--backend', backend], env);
  onTestFinished(async () => {
    await server.stop();
  });
  return server;
}

/** Returns what a server says of the models that are loaded, and of those on their way. */
async function healthOf({ url }: RunningServer): Promise<unknown> {
  return (await fetch(`${url}/health`)).json();
}

describe('a server that has started', () => {
  it('loads the built-in model if there is no other', async () => {
    const server = await serve('cpu');
    await eventually(async () => expect(await healthOf(server)).toMatchObject({ models: [{ id: 'pico' }] }));
  });

  it('waits for the first request if that may be for another model', async () => {
    expect(await healthOf(await serve('cpu', true))).toMatchObject({ models: [], moving: [] });
  });

  it('waits for the first request if the model would run on WebAssembly', async () => {
    expect(await healthOf(await serve('wasm'))).toMatchObject({ models: [], moving: [] });
  });
});
