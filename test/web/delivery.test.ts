import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import { watchDelivery } from '../kit/browser/delivery.ts';
import { chat, importModel, openPaddock, startPaddockSite } from '../kit/browser/paddock-page.ts';
import type { StaticSite } from '../kit/browser/static-site.ts';

const TIME_LIMIT_MS = 120_000;
const TOKENS = 300;

let site: StaticSite;
let browser: TestBrowser;

beforeAll(async () => {
  site = await startPaddockSite({ models: inject('modelsFolder') });
  browser = await launchBrowser();
  const page = await openPaddock(browser, site);
  await importModel(page, 'tiny.gguf');
  await page.close();
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

describe('the running stream', () => {
  it(
    'brings the tokens as they are computed, gathered for a few ms at most',
    async () => {
      const page = await openPaddock(browser, site);
      await chat(page);
      const { computed, arrived } = await watchDelivery(page, TOKENS);
      expect(arrived.length).toBe(computed.length);
      expect(arrived.length).toBeGreaterThan(TOKENS / 2);
      const lags = arrived.map((time, index) => time - (computed[index] ?? 0));
      const duration = (computed.at(-1) ?? 0) - (computed[0] ?? 0);
      // The machine may do other things too, and a step of the tiny model is over in a millisecond or two. If the tokens were held
      // back anywhere on the way, the one in the middle would wait for half of the duration.
      expect(lags.toSorted((a, b) => a - b)[Math.floor(lags.length / 2)]).toBeLessThan(duration / 4);
    },
    TIME_LIMIT_MS,
  );
});
