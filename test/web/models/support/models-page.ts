import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import type { PullEvent } from '../../../../src/contract/models/puller.ts';
import type { Port } from '../../../../src/contract/port.ts';
import type { openCall } from '../../../../src/wire/call.ts';
import type { BrowserModel, ConnectMessage, ModelJob } from '../../../../web/protocol.ts';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { type StaticSite, startStaticSite } from '../../../kit/browser/static-site.ts';

/** What a job came to: all that it said. */
export interface JobOutcome {
  events: PullEvent[];
  /** Null when it ended well. */
  error: { status: number; code: string | null; message: string } | null;
}

/** A browser with the worker of the models, and nothing else of Paddock. */
export interface ModelsBench {
  browser: TestBrowser;
  site: StaticSite;
  /** Opens a tab with a worker of its own, which asks this hub. */
  open(hub: string): Promise<Page>;
  close(): Promise<void>;
}

/** What the tests' page has of Paddock. */
interface ModelsPage {
  readModels(): Promise<BrowserModel[]>;
  openCall: typeof openCall;
  worker: Worker;
  /** Lets go of a job's lock. */
  leave?: () => void;
}

const PAGE = `<!doctype html><html lang="en"><title>Models</title><script type="module">
import { readModels } from './index.js';
import { openCall } from './wire.js';
const hub = new URL(location.href).searchParams.get('hub');
const worker = new Worker('/models-worker.js?hub=' + encodeURIComponent(hub), { type: 'module', name: crypto.randomUUID() });
worker.onmessage = () => Object.assign(globalThis, { readModels, openCall, worker });
worker.onerror = (event) => console.error(event.message);
</script></html>`;

/** @param files served beside the page, by their paths */
export async function openModelsBench(): Promise<ModelsBench> {
  const entries = ['web/models/main.ts', 'web/models/index.ts', 'src/wire/call.ts'];
  const [worker = '', index = '', wire = ''] = await Promise.all(entries.map(bundle));
  const files = { '/': PAGE, '/models-worker.js': worker, '/index.js': index, '/wire.js': wire, '/page.html': PAGE };
  const site = await startStaticSite({ folders: {}, files });
  const browser = await launchBrowser();
  return {
    browser,
    site,
    async open(hub) {
      const page = await browser.open(`${site.url}/page.html?hub=${encodeURIComponent(hub)}`);
      await page.waitForFunction(() => 'worker' in globalThis);
      return page;
    },
    async close() {
      await browser.close();
      await site.stop();
    },
  };
}

/** A module with all that it imports; `path` is that from the repository's root. */
async function bundle(path: string): Promise<string> {
  const entry = fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: { write: false, target: 'esnext', minify: false, lib: { entry, formats: ['es'], fileName: 'bundle' } },
  });
  const [result] = [built].flat();
  if (!result || !('output' in result)) throw new Error(`${path} was not built`);
  const [chunk, ...others] = result.output;
  if (chunk.type !== 'chunk' || others.length > 0) throw new Error(`${path} is not one file`);
  return chunk.code;
}

/** Does a job in the page's worker, as the service worker would have it done. The body of an import is what lies at `bodyUrl`. */
export function runJob(page: Page, job: ModelJob, bodyUrl: string | null = null): Promise<JobOutcome> {
  return page.evaluate(runInPage, { job, bodyUrl });
}

/** Runs in the page. */
async function runInPage({ job, bodyUrl }: { job: ModelJob; bodyUrl: string | null }): Promise<JobOutcome> {
  const page = globalThis as unknown as ModelsPage;
  const id = crypto.randomUUID();
  const body = bodyUrl === null ? null : (await fetch(bodyUrl)).body;
  const { port1, port2 } = new MessageChannel();
  const outcome: JobOutcome = { events: [], error: null };
  await navigator.locks.request(`paddock-connection:${id}`, async () => {
    const left = new Promise<void>((leave) => {
      page.leave = leave;
    });
    const run = async () => {
      const context = { requestId: 'test', signal: new AbortController().signal };
      const note = (event: PullEvent) => void outcome.events.push(event);
      try {
        await page.openCall(port1 as unknown as Port, job, note, context).done;
      } catch (error) {
        outcome.error = (error as { data: JobOutcome['error'] }).data;
      }
    };
    const connection = { to: 'models', id, requestId: 'test', body } as const;
    const message: ConnectMessage = { kind: 'connect', connection };
    page.worker.postMessage(message, body ? [port2, body] : [port2]);
    await Promise.race([left, run()]);
  });
  return outcome;
}

/** Lets go of the last job that was started, as the service worker does when nobody reads its reply any more. */
export function leave(page: Page): Promise<void> {
  return page.evaluate(() => (globalThis as unknown as ModelsPage).leave?.());
}

export function readModels(page: Page): Promise<BrowserModel[]> {
  return page.evaluate(() => (globalThis as unknown as ModelsPage).readModels());
}

/** The lengths of all files in the origin's private file system, by their names without folders. */
export function storedFiles(page: Page): Promise<Record<string, number>> {
  return page.evaluate(async () => {
    const sizes: Record<string, number> = {};
    const walk = async (folder: FileSystemDirectoryHandle): Promise<void> => {
      for await (const entry of folder.values()) {
        if (entry.kind === 'directory') await walk(entry as FileSystemDirectoryHandle);
        else sizes[entry.name] = (await (entry as FileSystemFileHandle).getFile()).size;
      }
    };
    await walk(await navigator.storage.getDirectory());
    return sizes;
  });
}

/** A hash of a model's first file, read as the engine reads it. */
export function sha256Of(page: Page, { source }: BrowserModel): Promise<string> {
  const [file] = source.files;
  if (file?.place !== 'opfs') throw new Error('the file is not in the private file system');
  return page.evaluate(async (path) => {
    let folder = await navigator.storage.getDirectory();
    for (const name of path.slice(0, -1)) folder = await folder.getDirectoryHandle(name);
    const blob = await (await folder.getFileHandle(path.at(-1) ?? '')).getFile();
    const hash = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
    return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }, file.path);
}

/** Does to a model's first file what a disk that loses data does. */
export function cutInHalf(page: Page, { source }: BrowserModel): Promise<void> {
  const [file] = source.files;
  if (file?.place !== 'opfs') throw new Error('the file is not in the private file system');
  return page.evaluate(async ({ path, size }) => {
    let folder = await navigator.storage.getDirectory();
    for (const name of path.slice(0, -1)) folder = await folder.getDirectoryHandle(name);
    const handle = await folder.getFileHandle(path.at(-1) ?? '');
    const writer = await handle.createWritable({ keepExistingData: true });
    await writer.truncate(size / 2);
    await writer.close();
  }, file);
}

/** Makes the origin's storage as small as this, in bytes; null lets it be as the browser has it. */
export async function limitStorage({ browser, site }: ModelsBench, page: Page, bytes: number | null): Promise<void> {
  const devtools = await browser.devtools(page);
  const quota = bytes === null ? {} : { quotaSize: bytes };
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: site.url, ...quota });
}

/** Closes a test's page, then removes all that the origin has stored, by a page of its own: the first may have left files open. */
export async function closeAndForget(bench: ModelsBench, page: Page, hub: string): Promise<void> {
  await limitStorage(bench, page, null);
  await page.close();
  const last = await bench.open(hub);
  await last.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    for await (const name of root.keys()) await root.removeEntry(name, { recursive: true });
  });
  await last.close();
}
