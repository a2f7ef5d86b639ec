import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startPaddock } from '../../examples/electron/paddock.mjs';

// The example finds `dist/src/index.js` by the package's own name, so this needs the build.

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'paddock-electron-'));
  vi.stubEnv('PADDOCK_HOME', home);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

/** Plays the app, as far as it goes without a window: starts the server, prints its address, and waits. */
const APP = `
  import { startPaddock } from './examples/electron/paddock.mjs';
  const { url } = await startPaddock(0);
  process.stdout.write(url + '\\n');
`;

describe('the server of the Electron example, under Node and without its window', () => {
  it('has the chat page and answers, until it is stopped', async () => {
    const { url, stop } = await startPaddock(0);
    onTestFinished(stop);
    expect(await (await fetch(url)).text()).toContain('<title>');
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'pico', messages: [{ role: 'user', content: 'My name is Ada.' }] }),
    });
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: expect.stringContaining('Ada') } }],
    });
    await stop();
    await expect(fetch(url)).rejects.toThrow();
    await stop();
  }, 120_000);

  it('ends when the app is killed', async () => {
    const app = spawn(process.execPath, ['--input-type=module', '--eval', APP], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [url] = await once(createInterface({ input: app.stdout }), 'line');
    expect((await fetch(url)).status).toBe(200);
    app.kill('SIGKILL');
    // The server has the same standard output, which closes only when both have ended.
    await once(app, 'close');
    await expect(fetch(url)).rejects.toThrow();
  });

  it('says why it can not start', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(startPaddock(port)).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`);
  });

  it('says that Node is missing', async () => {
    vi.stubEnv('PATH', home);
    await expect(startPaddock(0)).rejects.toThrow('ENOENT');
  });
});
