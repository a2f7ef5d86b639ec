import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createShell } from '../../../web/service-worker/shell.ts';
import type { ShellFile, ShellManifest } from '../../../web/service-worker/shell-manifest.ts';
import { memoryCaches } from './support/caches.ts';

let server: Server;
let scope: URL;
/** What the site serves, by path from the scope on. */
let content: Record<string, string>;
let requests: string[];
/** The policy that the site gives its files. */
let policy: string;
let storage: CacheStorage;

beforeEach(async () => {
  content = {
    'paddock/engine-worker.js': 'engine',
    'paddock/wllama.wasm': 'modern wasm',
    'paddock/compat/wllama.js': 'compat',
    'index.html': 'page',
  };
  requests = [];
  policy = '';
  storage = memoryCaches();
  server = createServer(({ url = '' }, response) => {
    const path = url.slice('/app/'.length);
    requests.push(path);
    const text = content[path];
    const headers = { 'content-type': 'text/plain', ...(policy && { 'content-security-policy': policy }) };
    response.writeHead(text === undefined ? 404 : 200, headers).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/app/`);
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

function partOf(path: string): ShellFile['part'] {
  if (path === 'paddock/wllama.wasm') return 'modern';
  if (path.startsWith('diagrams/')) return 'later';
  return path.includes('compat') ? 'compat' : path.startsWith('paddock/') ? 'engine' : 'page';
}

/** The build whose files are what the site serves now. */
function build(version: string): ShellManifest {
  const files = Object.entries(content).map(([path, text]): ShellFile => {
    const hash = createHash('sha256').update(text).digest('hex');
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    return { path, hash, type, size: text.length, part: partOf(path) };
  });
  return { version, files };
}

function goOffline(): void {
  server.close();
  server.closeAllConnections();
}

describe('the shell', () => {
  it('serves what it has kept when there is no network, with the headers that isolate', async () => {
    const shell = createShell(build('1'), scope, storage);
    await shell.install();
    goOffline();
    const script = await shell.serve('paddock/engine-worker.js');
    expect(await script?.text()).toBe('engine');
    expect(Object.fromEntries(script?.headers ?? [])).toMatchObject({
      'content-type': 'text/javascript',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(await (await shell.serve(''))?.text()).toBe('page');
    expect(script?.headers.has('content-security-policy')).toBe(false);
  });

  it('keeps the policy that a Paddock server gives each file', async () => {
    policy = "default-src 'none'";
    const shell = createShell(build('1'), scope, storage);
    await shell.install();
    goOffline();
    expect((await shell.serve(''))?.headers.get('content-security-policy')).toBe(policy);
  });

  it('takes from the network what it has lost, isolated all the same', async () => {
    const shell = createShell(build('1'), scope, storage);
    const script = await shell.serve('paddock/engine-worker.js');
    expect(await script?.text()).toBe('engine');
    expect(script?.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
  });

  it('has nothing to do with other files', () => {
    expect(createShell(build('1'), scope, storage).serve('other.js')).toBeNull();
  });

  it('fetches the one build of wllama that runs here, and not the other: Node 20 takes the compatible one', async () => {
    const shell = createShell(build('1'), scope, storage);
    await shell.install();
    const modern = 'Suspending' in WebAssembly;
    expect(requests.includes('paddock/compat/wllama.js')).toBe(!modern);
    expect(requests.includes('paddock/wllama.wasm')).toBe(modern);
  });

  it('fetches the default build of wllama in every Firefox: wllama takes no other there', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' });
    onTestFinished(() => void vi.unstubAllGlobals());
    await createShell(build('1'), scope, storage).install();
    expect(requests.filter((path) => path.includes('wllama'))).toEqual(['paddock/wllama.wasm']);
  });

  it('tells how many bytes it has fetched, of those that it needs', async () => {
    const told: { completed: number; total: number }[] = [];
    await createShell(build('1'), scope, storage).install((progress) => told.push(progress));
    const total = requests.reduce((sum, path) => sum + (content[path]?.length ?? 0), 0);
    expect(total).toBeGreaterThan(0);
    expect(told.at(-1)).toEqual({ completed: total, total });
    expect(told.every((progress) => progress.total === total)).toBe(true);
  });

  it('tells it at most once for each hundredth, in however many pieces a file comes', async () => {
    content['paddock/engine-worker.js'] = 'engine'.repeat(2 ** 20);
    const told: number[] = [];
    await createShell(build('1'), scope, storage).install(({ completed }) => told.push(completed));
    expect(told.length).toBeGreaterThan(20);
    expect(told.length).toBeLessThanOrEqual(101);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
  });

  it.each(['engine and more', 'engi'])('refuses a file of the engine of another size: %s', async (text) => {
    const whole = build('1');
    content['paddock/engine-worker.js'] = text;
    await expect(createShell(whole, scope, storage).install()).rejects.toThrow('is not the one of this build');
  });

  it('fetches only what is missing when an install is tried again', async () => {
    const index = 'paddock/engine-worker.js';
    const whole = build('1');
    const engine = content[index];
    delete content[index];
    await expect(createShell(whole, scope, storage).install()).rejects.toThrow(index);
    if (engine !== undefined) content[index] = engine;
    requests = [];
    await createShell(whole, scope, storage).install();
    expect(requests).toContain(index);
    await createShell(whole, scope, storage).install();
    expect(requests.filter((path) => path === index)).toHaveLength(1);
  });

  it('fetches of a new version only what has changed, and then forgets the old one', async () => {
    await createShell(build('1'), scope, storage).install();
    requests = [];
    content['index.html'] = 'new page';
    const next = createShell(build('2'), scope, storage);
    await next.install();
    expect(requests).toEqual(['index.html']);
    expect(await storage.keys()).toHaveLength(2);
    await next.dropOthers();
    expect(await storage.keys()).toHaveLength(1);
    goOffline();
    expect(await (await next.serve('index.html'))?.text()).toBe('new page');
    expect(await (await next.serve('paddock/engine-worker.js'))?.text()).toBe('engine');
  });

  it('fetches what is for later when it is needed, and keeps it', async () => {
    content['diagrams/main.js'] = 'draws';
    const shell = createShell(build('1'), scope, storage);
    await shell.install();
    expect(requests).not.toContain('diagrams/main.js');
    expect(await (await shell.serve('diagrams/main.js'))?.text()).toBe('draws');
    goOffline();
    const kept = await shell.serve('diagrams/main.js');
    expect(await kept?.text()).toBe('draws');
    expect(kept?.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
  });

  it('fetches what is for later with a new version if the old one has needed it', async () => {
    Object.assign(content, { 'diagrams/main.js': 'draws', 'diagrams/other.js': 'never needed' });
    const first = createShell(build('1'), scope, storage);
    await first.install();
    await first.serve('diagrams/main.js');
    content['diagrams/main.js'] = 'draws anew';
    const next = createShell(build('2'), scope, storage);
    await next.install();
    await next.dropOthers();
    expect(requests).not.toContain('diagrams/other.js');
    goOffline();
    expect(await (await next.serve('diagrams/main.js'))?.text()).toBe('draws anew');
  });

  it('installs without what is for later if that can not be had', async () => {
    content['diagrams/main.js'] = 'draws';
    const first = createShell(build('1'), scope, storage);
    await first.install();
    await first.serve('diagrams/main.js');
    delete content['diagrams/main.js'];
    const next = build('2');
    next.files.push({ path: 'diagrams/main.js', hash: 'another', type: 'text/javascript', size: 1, part: 'later' });
    await createShell(next, scope, storage).install();
    expect((await createShell(next, scope, storage).serve('diagrams/main.js'))?.status).toBe(404);
  });

  it('leaves the caches of others alone', async () => {
    await storage.open('paddock-config');
    await storage.open('paddock-shell:/other/:1');
    await createShell(build('1'), scope, storage).dropOthers();
    expect(await storage.keys()).toEqual(['paddock-config', 'paddock-shell:/other/:1']);
  });

  it('does not install while the site serves another build of the engine', async () => {
    const shell = createShell(build('1'), scope, storage);
    content['paddock/engine-worker.js'] = 'engine of another build';
    await expect(shell.install()).rejects.toThrow('paddock/engine-worker.js is not the one of this build');
  });

  it('does not install when a file can not be had', async () => {
    const shell = createShell(build('1'), scope, storage);
    goOffline();
    await expect(shell.install()).rejects.toThrow();
  });

  it.each([
    ['has a page of its own', 'page of the site'],
    ['has no page there', undefined],
  ])('does without the chat page where the site %s', async (_, text) => {
    const shell = createShell(build('1'), scope, storage);
    if (text === undefined) delete content['index.html'];
    else content['index.html'] = text;
    await shell.install();
    expect(await (await shell.serve('paddock/engine-worker.js'))?.text()).toBe('engine');
    const page = await shell.serve('index.html');
    expect(page?.status).toBe(text === undefined ? 404 : 200);
    if (text !== undefined) expect(await page?.text()).toBe(text);
  });
});
