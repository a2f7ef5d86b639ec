import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../support/browser.ts';
import { chat, importModel, openPaddock, startPaddockSite, untilServed } from '../support/paddock-page.ts';
import type { StaticSite } from '../support/static-site.ts';

const TIME_LIMIT_MS = 120_000;

let site: StaticSite;
let browser: TestBrowser;
/** The chat page itself: what is opened is what is kept. */
let page: Page;
let before: { tiny: string; pico: string };

beforeAll(async () => {
  site = await startPaddockSite({ models: inject('modelsFolder') });
  browser = await launchBrowser();
  const tab = await openPaddock(browser, site);
  await importModel(tab, 'tiny.gguf');
  await tab.close();
  page = await browser.open(`${site.url}/`);
  await untilServed(page);
  before = { tiny: await chat(page), pico: await chat(page, { model: 'pico' }) };
  await site.stop();
}, TIME_LIMIT_MS);
afterAll(() => browser?.close());

describe('with the network gone after one visit', () => {
  it(
    'the chat page loads again, isolated as before',
    async () => {
      await page.reload();
      await untilServed(page);
      expect(await page.evaluate('crossOriginIsolated')).toBe(true);
    },
    TIME_LIMIT_MS,
  );

  it(
    'the built-in model answers, and one that was imported',
    async () => {
      expect(await chat(page, { model: 'pico' })).toBe(before.pico);
      expect(await chat(page)).toBe(before.tiny);
    },
    TIME_LIMIT_MS,
  );

  it(
    'a new tab works too',
    async () => {
      const tab = await browser.open(`${site.url}/`);
      await untilServed(tab);
      expect(await chat(tab)).toBe(before.tiny);
    },
    TIME_LIMIT_MS,
  );
});
