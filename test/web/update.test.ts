import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import { listContent } from '../kit/browser/list-content.ts';
import { request, untilReady } from '../kit/browser/paddock-page.ts';
import { type StaticSite, startStaticSite } from '../kit/browser/static-site.ts';

const TIME_LIMIT_MS = 120_000;
const CHANGED = 'paddock/models/built-in.json';
const PAGE = `<!doctype html><html lang="en"><title>Test</title><script type="module">
import { startPaddock } from './paddock/client.js';
startPaddock().then(() => { globalThis.paddockState = 'ready'; }, (error) => { globalThis.paddockState = { failed: String(error) }; });
</script></html>`;

let folder: string;
let site: StaticSite;
let browser: TestBrowser;

// Each try has a site of the first version.
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-update-'));
  await cp('dist-web', folder, { recursive: true });
  site = await startStaticSite({ folders: { '/': folder }, files: { '/test.html': PAGE } });
  browser = await launchBrowser();
}, TIME_LIMIT_MS);
afterEach(async () => {
  await browser?.close();
  await site?.stop();
  await rm(folder, { recursive: true });
});

/** Puts a build on the site in which the built-in model has another name, as `npm run build` would make it. */
async function deployNewVersion(): Promise<void> {
  const list = await readFile(join(folder, CHANGED), 'utf8');
  const changed = list.replace('"name":"Pico"', '"name":"Pico of a new version"');
  const script = await readFile(join(folder, 'service-worker.js'), 'utf8');
  await writeFile(join(folder, CHANGED), changed);
  await writeFile(
    join(folder, 'service-worker.js'),
    listContent(script, list, changed).replace(/version:`[0-9a-f]{16}`/, 'version:`new`'),
  );
}

async function openPage(): Promise<Page> {
  const page = await browser.open(`${site.url}/test.html`);
  await untilReady(page);
  return page;
}

async function picoName(page: Page): Promise<string> {
  return JSON.parse((await request(page, 'GET', '/v1/models/pico')).text).name;
}

/** Has the browser look for a new version, as it does by itself now and then, and waits until that is installed. */
async function lookForUpdate(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await (await navigator.serviceWorker.ready).update();
  });
  const isWaiting = async () => (await navigator.serviceWorker.ready).waiting !== null;
  await expect.poll(() => page.evaluate(isWaiting), { timeout: 20_000 }).toBe(true);
}

/** Opens the frame that draws diagrams, as the chat page does. It is no tab, and must not hold a new version up. */
async function openFrame(page: Page): Promise<void> {
  await page.evaluate(() => {
    const frame = document.createElement('iframe');
    frame.src = 'diagrams/index.html';
    document.body.append(frame);
  });
  // What a frame still fetches would hold the new version up.
  const isLoaded = () => {
    const { title, readyState } = document.querySelector('iframe')?.contentDocument ?? {};
    return title === 'Draws diagrams' && readyState === 'complete';
  };
  await page.waitForFunction(isLoaded, undefined, { timeout: 10_000 });
}

describe('a new version on the site', () => {
  it(
    'waits while two tabs are open, fetches only what has changed, and comes when the last one is reloaded',
    async () => {
      const first = await openPage();
      const second = await openPage();
      expect(await picoName(first)).toBe('Pico');

      await deployNewVersion();
      site.requests.length = 0;
      await lookForUpdate(first);
      expect(site.requests.toSorted()).toEqual([`/${CHANGED}`, '/service-worker.js']);

      await first.reload();
      await untilReady(first);
      expect(await picoName(first)).toBe('Pico');
      expect(await picoName(second)).toBe('Pico');

      await second.close();
      // The browser may count a closed tab for a moment longer, and then the next reload is the one.
      const nameAfterReload = async () => {
        await openFrame(first);
        // The page that lets the new version in loads itself again: nothing is waited for but its beginning.
        await first.reload({ waitUntil: 'commit' });
        await untilReady(first, 10_000);
        return picoName(first);
      };
      await expect.poll(nameAfterReload, { timeout: TIME_LIMIT_MS / 2 }).toBe('Pico of a new version');
      expect(await first.evaluate(async () => (await caches.keys()).filter((key) => key.includes('shell')))).toEqual([
        'paddock-shell:/:new',
      ]);
    },
    TIME_LIMIT_MS,
  );
});
