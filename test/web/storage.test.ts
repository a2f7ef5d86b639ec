import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import {
  chat,
  chatOf,
  eventsOf,
  importInPage,
  importModel,
  openPaddock,
  request,
  startPaddockSite,
} from '../kit/browser/paddock-page.ts';
import type { StaticSite } from '../kit/browser/static-site.ts';

const TIME_LIMIT_MS = 120_000;

let folder: string;
let site: StaticSite;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-storage-'));
  const tiny = await readFile(join(inject('modelsFolder'), 'tiny.gguf'));
  await writeFile(join(folder, 'tiny.gguf'), tiny);
  await writeFile(join(folder, 'cut.gguf'), tiny.subarray(0, tiny.length - 100_000));
  await writeFile(join(folder, 'noise.gguf'), Buffer.alloc(5000, 'no model '));
  site = await startPaddockSite({ models: folder });
  browser = await launchBrowser();
  page = await openPaddock(browser, site);
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await rm(folder, { recursive: true });
});

/** The error of a job: its status, or the last event of its stream. */
// biome-ignore lint/suspicious/noExplicitAny: what is said is checked by the tests, not by types.
function errorOf({ status, text }: { status: number; text: string }): any {
  return status === 200 ? eventsOf(text).at(-1).error : JSON.parse(text).error;
}

async function modelIds(): Promise<string[]> {
  return JSON.parse((await request(page, 'GET', '/v1/models')).text).data.map(({ id }: { id: string }) => id);
}

const pull = (model: string) => request(page, 'POST', '/v1/models/pull', { model });

describe('models in the browser', () => {
  it(
    'a pull of a URL without a model behind it says so, with the status, and leaves nothing',
    async () => {
      const before = await modelIds();
      expect(errorOf(await pull(`${site.url}/fixtures/missing.gguf`)).message).toMatch(
        /missing\.gguf.*404|404.*missing/s,
      );
      expect(await modelIds()).toEqual(before);
    },
    TIME_LIMIT_MS,
  );

  it(
    'a file that is no GGUF, and one that is cut short, are refused with what is wrong, and leave nothing',
    async () => {
      const before = await modelIds();
      for (const [filename, says] of [
        ['noise.gguf', /noise\.gguf.*(not|no) .*GGUF/is],
        ['cut.gguf', /cut\.gguf|shorter|cut|bytes/i],
      ] as const) {
        expect(errorOf(await page.evaluate(importInPage, { filename, apiKey: '' })).message).toMatch(says);
      }
      expect(await modelIds()).toEqual(before);
    },
    TIME_LIMIT_MS,
  );

  it(
    'a model that the origin has no room for is refused with both figures, before it fills the disk',
    async () => {
      const devtools = await browser.devtools(page);
      const { usage } = await devtools.send('Storage.getUsageAndQuota', { origin: site.url });
      await devtools.send('Storage.overrideQuotaForOrigin', { origin: site.url, quotaSize: usage + 1_000_000 });
      for (const reply of [
        await page.evaluate(importInPage, { filename: 'tiny.gguf', apiKey: '' }),
        await pull(`${site.url}/fixtures/tiny.gguf`),
      ]) {
        expect(errorOf(reply).message).toMatch(/needs .*MB.* has .*MB left.*Remove models/s);
      }
      await devtools.send('Storage.overrideQuotaForOrigin', { origin: site.url });
      await importModel(page, 'tiny.gguf');
      expect(await chat(page)).not.toBe('');
    },
    TIME_LIMIT_MS,
  );

  it(
    'a stored file that is damaged later is an error that names the model and what to do, and others are served on',
    async () => {
      await page.evaluate(damageStoredModel);
      const tab = await openPaddock(browser, site);
      await page.close();
      page = tab;
      const { status, text } = await request(page, 'POST', '/v1/chat/completions', chatOf({}));
      expect(status).toBeGreaterThanOrEqual(500);
      expect(JSON.parse(text).error.message).toMatch(/tiny.*(damaged|again|remove)/is);
      expect(await chat(page, { model: 'pico' })).not.toBe('');
    },
    TIME_LIMIT_MS,
  );

  it(
    'a removed model is gone, and so is its room; the built-in one stays',
    async () => {
      const removed = await request(page, 'DELETE', '/v1/models/tiny');
      expect(removed.status).toBe(200);
      expect(JSON.parse(removed.text)).toEqual({ id: 'tiny', object: 'model', deleted: true });
      expect(await modelIds()).toEqual(['pico']);
      expect(await page.evaluate(storedFiles)).toEqual([]);
      expect((await request(page, 'DELETE', '/v1/models/tiny')).status).toBe(404);
      const builtIn = await request(page, 'DELETE', '/v1/models/pico');
      expect(builtIn.status).toBeGreaterThanOrEqual(400);
      expect(JSON.parse(builtIn.text).error.message).toMatch(/pico/);
      expect(await modelIds()).toEqual(['pico']);
    },
    TIME_LIMIT_MS,
  );
});

/** Runs in the page: cuts every stored GGUF to its half, as a disk that loses data does. */
async function damageStoredModel(): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: the DOM's types are not those of tests.
  const { storage } = navigator as any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const damage = async (folder: any): Promise<void> => {
    for await (const handle of folder.values()) {
      if (handle.kind === 'directory') await damage(handle);
      else if (handle.name.endsWith('.gguf')) {
        const { size } = await handle.getFile();
        const file = await handle.createWritable({ keepExistingData: true });
        await file.truncate(Math.floor(size / 2));
        await file.close();
      }
    }
  };
  await damage(await storage.getDirectory());
}

/** Runs in the page: the names of all stored model files. */
async function storedFiles(): Promise<string[]> {
  // biome-ignore lint/suspicious/noExplicitAny: the DOM's types are not those of tests.
  const { storage } = navigator as any;
  const names: string[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const walk = async (folder: any): Promise<void> => {
    for await (const handle of folder.values()) {
      if (handle.kind === 'directory') await walk(handle);
      else if (handle.name.endsWith('.gguf')) names.push(handle.name);
    }
  };
  await walk(await storage.getDirectory());
  return names;
}
