import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import { chat, openPaddock, request, startPaddockSite } from '../kit/browser/paddock-page.ts';
import type { StaticSite } from '../kit/browser/static-site.ts';

const TIME_LIMIT_MS = 120_000;

let site: StaticSite;
let browser: TestBrowser;

beforeAll(async () => {
  site = await startPaddockSite({ models: inject('modelsFolder') });
  browser = await launchBrowser();
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

describe('on a host that sends no headers of its own', () => {
  it(
    'a page is isolated after its first visit, by one reload at most',
    async () => {
      const plain = await fetch(`${site.url}/test.html`);
      expect(plain.headers.get('cross-origin-embedder-policy')).toBeNull();

      const page = await browser.context.newPage();
      let loads = 0;
      page.on('load', () => {
        loads += 1;
      });
      await page.goto(`${site.url}/test.html`);
      await page.waitForFunction('globalThis.paddockState === "ready"', undefined, { timeout: 60_000 });
      expect(await page.evaluate('crossOriginIsolated')).toBe(true);
      expect(loads).toBeLessThanOrEqual(2);
    },
    TIME_LIMIT_MS,
  );

  it(
    'a page that was there before is isolated without a reload, and its workers and answers are let in',
    async () => {
      const page = await openPaddock(browser, site);
      expect(await page.evaluate('crossOriginIsolated')).toBe(true);
      const { headers } = await request(page, 'GET', '/paddock/engine-worker.js');
      expect(headers).toMatchObject({
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-resource-policy': 'same-origin',
      });
    },
    TIME_LIMIT_MS,
  );

  it(
    'the health tells what the engine computes on, and why on nothing better',
    async () => {
      const page = await openPaddock(browser, site);
      await chat(page, { model: 'pico' });
      const { models } = JSON.parse((await request(page, 'GET', '/health')).text);
      expect(models).toMatchObject([
        { id: 'pico', backend: 'wasm', fallback_reasons: [expect.stringMatching(/WebGPU/)] },
      ]);
    },
    TIME_LIMIT_MS,
  );
});
