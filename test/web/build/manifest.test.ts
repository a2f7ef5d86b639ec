import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listShell } from '../../../web/build/manifest.ts';

let site: string;
beforeEach(async () => {
  site = await mkdtemp(join(tmpdir(), 'paddock-site-'));
  const files = [
    'index.html',
    'licences.txt',
    'assets/chat.css',
    'assets/pdf/read-pdf.js',
    'diagrams/index.html',
    'mcp/worker.js',
    'service-worker.js',
    'paddock/client.js',
    'paddock/client.d.ts',
    'paddock/wllama.wasm',
    'paddock/compat/wllama.js',
    'paddock/models/pico.gguf',
  ];
  for (const file of files) await put(file, file);
});
afterEach(() => rm(site, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(site, path)), { recursive: true });
  await writeFile(join(site, path), text);
}

describe('what the service worker keeps', () => {
  it('is every file that a page or a worker loads, by its part of the site', async () => {
    const { files } = await listShell(site);
    expect(files.map(({ path, part, type }) => [path, part, type])).toEqual([
      ['assets/chat.css', 'page', 'text/css; charset=utf-8'],
      ['assets/pdf/read-pdf.js', 'later', 'text/javascript; charset=utf-8'],
      ['diagrams/index.html', 'later', 'text/html; charset=utf-8'],
      ['index.html', 'page', 'text/html; charset=utf-8'],
      ['licences.txt', 'later', 'text/plain; charset=utf-8'],
      ['mcp/worker.js', 'later', 'text/javascript; charset=utf-8'],
      ['paddock/client.js', 'engine', 'text/javascript; charset=utf-8'],
      ['paddock/compat/wllama.js', 'compat', 'text/javascript; charset=utf-8'],
      ['paddock/models/pico.gguf', 'engine', 'application/octet-stream'],
      ['paddock/wllama.wasm', 'modern', 'application/wasm'],
    ]);
  });

  it('is another version when any file has changed, and the same one otherwise', async () => {
    const before = await listShell(site);
    expect(await listShell(site)).toEqual(before);
    await put('paddock/client.js', 'new');
    const after = await listShell(site);
    expect(after.version).not.toBe(before.version);
    expect(after.files.filter(({ hash }, index) => hash !== before.files[index]?.hash)).toMatchObject([
      { path: 'paddock/client.js' },
    ]);
  });
});
