import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import {
  chat,
  chatOf,
  importModel,
  openPaddock,
  request,
  startPaddockSite,
  startStream,
  untilIdle,
} from '../kit/browser/paddock-page.ts';
import type { StaticSite } from '../kit/browser/static-site.ts';
import { writeTinyModel } from '../kit/models/tiny-model.ts';

const TIME_LIMIT_MS = 120_000;

let models: string;
let site: StaticSite;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'paddock-stopped-'));
  // Its replies last some seconds.
  writeTinyModel(join(models, 'tiny.gguf'), { contextLength: 4096 });
  site = await startPaddockSite({ models });
  browser = await launchBrowser();
  page = await openPaddock(browser, site);
  await importModel(page, 'tiny.gguf');
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await rm(models, { recursive: true });
});

/** As Chromium does with one that is idle, or that it has no memory for. */
async function stopServiceWorker(): Promise<void> {
  const devtools = await browser.devtools(page);
  await devtools.send('ServiceWorker.enable');
  await devtools.send('ServiceWorker.stopAllWorkers');
  await devtools.detach();
}

describe('a service worker that is stopped', () => {
  it(
    'while nothing runs is started again by the next request',
    async () => {
      const before = await chat(page);
      await stopServiceWorker();
      expect(await chat(page)).toBe(before);
    },
    TIME_LIMIT_MS,
  );

  it(
    'has the responses that it has stored when it is started again, until they are deleted',
    async () => {
      const ask = async (method: string, path: string, body?: object) => {
        const { status, text } = await request(page, method, `/v1/responses${path}`, body);
        return { status, body: JSON.parse(text) };
      };
      const short = { model: 'tiny', temperature: 0, max_output_tokens: 8 };
      const { body: first } = await ask('POST', '', { ...short, input: 'hello' });
      await stopServiceWorker();
      expect(await ask('GET', `/${first.id}`)).toEqual({ status: 200, body: first });

      const said = [
        { role: 'user', content: 'hello' },
        { type: 'item_reference', id: first.output[0].id },
      ];
      const byReference = { ...short, input: [...said, { role: 'user', content: 'And?' }] };
      const byResponse = { ...short, input: 'And?', previous_response_id: first.id };
      const [{ body: one }, { body: other }] = [await ask('POST', '', byReference), await ask('POST', '', byResponse)];
      expect(one.usage.input_tokens).toBeGreaterThan(first.usage.total_tokens);
      expect(one.output[0].content).toEqual(other.output[0].content);

      expect((await ask('DELETE', `/${first.id}`)).status).toBe(200);
      expect((await ask('GET', `/${first.id}`)).status).toBe(404);
      expect((await ask('POST', '', byReference)).status).toBe(400);
    },
    TIME_LIMIT_MS,
  );

  it(
    'in the middle of a stream fails that at once, frees the engine, and is started again by the next request',
    async () => {
      const before = await chat(page);
      const stream = await startStream(page);
      await stopServiceWorker();
      const { text, failure } = await stream.rest();
      // The browser's own word: nobody is left who could send another.
      expect(failure).toMatch(/TypeError/);
      expect(text.includes('[DONE]')).toBe(false);
      await untilIdle(page);
      expect(await chat(page)).toBe(before);
    },
    TIME_LIMIT_MS,
  );

  it(
    'in the middle of a reply that is not streamed frees the engine too',
    async () => {
      // Its head is there once the generation runs; before that, the browser itself would ask again.
      await page.evaluate(beginReply, JSON.stringify(chatOf({ max_tokens: null })));
      await stopServiceWorker();
      expect(await page.evaluate(() => (globalThis as ReplyingPage).paddockReply)).toMatch(/TypeError/);
      await untilIdle(page);
      expect(await chat(page)).not.toBe('');
    },
    TIME_LIMIT_MS,
  );
});

interface ReplyingPage {
  /** The body, or the error that it ended with. */
  paddockReply?: Promise<string>;
}

/** Runs in the page. */
async function beginReply(body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch('/v1/chat/completions', { method: 'POST', headers, body });
  (globalThis as ReplyingPage).paddockReply = reply.text().catch(String);
}
