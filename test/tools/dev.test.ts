import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { utimes } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { expect, inject, it, onTestFinished } from 'vitest';

it('npm run dev serves the API and the page, restarts the server on a change, and leaves nothing behind', async () => {
  const args = ['tools/dev.js', '--port', '0', '--models', inject('modelsFolder'), '--log-level', 'silent'];
  const dev = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(dev, 'exit');
  const lines = createInterface({ input: dev.stdout })[Symbol.asyncIterator]();
  const nextUrl = async () => /http:\S+/.exec((await lines.next()).value ?? '')?.[0] ?? 'no URL';
  // Also when the time limit ends the test.
  onTestFinished(() => void dev.kill());

  const first = await nextUrl();
  const page = await nextUrl();
  expect((await fetch(`${first}/health`)).status).toBe(200);
  expect(await (await fetch(page)).text()).toContain('<title>Paddock</title>');

  // Its time changes, its content does not: the build stays fresh.
  await utimes('src/contract/errors.ts', new Date(), new Date());
  const second = await nextUrl();
  expect(await nextUrl()).toBe(page);
  await expect(fetch(`${first}/health`)).rejects.toThrow();
  expect((await fetch(new URL('v1/models', page))).status).toBe(200);

  dev.kill('SIGINT');
  expect(await exited).toEqual([0, null]);
  await expect(fetch(`${second}/health`)).rejects.toThrow();
  await expect(fetch(page)).rejects.toThrow();
});
