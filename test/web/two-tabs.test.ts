import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeTinyModel } from '../fixtures/tiny-model.ts';
import { launchBrowser, type TestBrowser } from '../support/browser.ts';
import {
  chat,
  eventsOf,
  importModel,
  openPaddock,
  startPaddockSite,
  startStream,
  untilIdle,
  untilReady,
} from '../support/paddock-page.ts';
import type { StaticSite } from '../support/static-site.ts';

const TIME_LIMIT_MS = 120_000;

let models: string;
let site: StaticSite;
let browser: TestBrowser;
/** The tab that runs the model, and one that merely asks. */
let leader: Page;
let follower: Page;

beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'paddock-two-tabs-'));
  // Its streams last some seconds.
  writeTinyModel(join(models, 'tiny.gguf'), { contextLength: 4096 });
  site = await startPaddockSite({ models });
  browser = await launchBrowser();
  await importModel(await openPaddock(browser, site), 'tiny.gguf');
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await rm(models, { recursive: true });
});
beforeEach(async () => {
  const before = browser.context.pages();
  leader = await openPaddock(browser, site);
  // The others end first, so that this one leads before the follower comes.
  await Promise.all(before.map((page) => page.close()));
  await chat(leader);
  follower = await openPaddock(browser, site);
}, TIME_LIMIT_MS);

/** The error that a stream ended with. Fails where it went on to its end, or broke off without a word. */
// biome-ignore lint/suspicious/noExplicitAny: see eventsOf.
function errorOf({ text, failure }: { text: string; failure: string | null }): any {
  expect(failure).toBeNull();
  expect(text.includes('[DONE]'), 'it went on to its end').toBe(false);
  return eventsOf(text).at(-1).error;
}

/** Freezes the worker that runs the model, for good: Chromium has no way for tests to freeze a tab with its workers. */
async function freeze(page: Page): Promise<void> {
  const worker = page.workers().find((candidate) => candidate.url().endsWith('/engine-worker.js'));
  if (!worker) throw new Error('This page runs no engine.');
  await worker.evaluate((ms) => {
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms));
  }, TIME_LIMIT_MS);
}

describe('with the model in another tab', () => {
  it('a tab gets its replies from there, and word for word the same', async () => {
    expect(await chat(follower)).toBe(await chat(leader));
  });

  it(
    'a stream that the leader is closed on ends with an error that says so, and the next reply comes from here',
    async () => {
      const stream = await startStream(follower);
      await leader.close();
      expect(errorOf(await stream.rest())).toMatchObject({
        code: 'engine_lost',
        message: expect.stringMatching(/tab .*closed.*again/is),
      });
      expect(await chat(follower)).not.toBe('');
    },
    TIME_LIMIT_MS,
  );

  it(
    'a stream that the leader crashes on ends with such an error as well',
    async () => {
      const stream = await startStream(follower);
      const devtools = await browser.devtools(leader);
      const crashed = leader.waitForEvent('crash');
      // It never answers: what would is gone.
      devtools.send('Page.crash').catch(() => {});
      await crashed;
      expect(errorOf(await stream.rest())).toMatchObject({ code: 'engine_lost' });
      expect(await chat(follower)).not.toBe('');
    },
    TIME_LIMIT_MS,
  );

  it(
    'a stream that the leader is frozen on ends with an error that says so, and the next reply comes from here',
    async () => {
      const stream = await startStream(follower);
      await freeze(leader);
      expect(errorOf(await stream.rest())).toMatchObject({
        message: expect.stringMatching(/does not respond.*again/is),
      });
      expect(await chat(follower)).not.toBe('');
    },
    TIME_LIMIT_MS,
  );

  it(
    'a request that a frozen leader never took is answered by this tab, without an error',
    async () => {
      await freeze(leader);
      expect(await chat(follower)).not.toBe('');
      expect(await chat(leader)).toBe(await chat(follower));
    },
    TIME_LIMIT_MS,
  );

  it(
    'a stream that its own tab leaves by a reload frees the engine, and the reloaded tab works on',
    async () => {
      await startStream(follower);
      await follower.reload();
      await untilReady(follower);
      await untilIdle(leader);
      expect(await chat(follower)).toBe(await chat(leader));
    },
    TIME_LIMIT_MS,
  );

  it(
    'a leader that is reloaded on its own stream starts anew, and the other tab works on',
    async () => {
      await startStream(leader);
      const stream = startStream(follower, { max_tokens: 64 }).then(
        (running) => running.rest(),
        (error: Error) => ({ text: error.message, failure: null }),
      );
      await leader.reload();
      // It waited for the first stream, or had just begun: either way it ends, with its reply or with an error.
      expect((await stream).text).toMatch(/\[DONE\]|"error"/);
      await untilReady(leader);
      expect(await chat(leader)).toBe(await chat(follower));
    },
    TIME_LIMIT_MS,
  );
});
