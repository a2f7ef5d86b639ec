import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Worker } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import {
  chat,
  eventsOf,
  importModel,
  openPaddock,
  request,
  startPaddockSite,
  startStream,
  untilIdle,
  untilReady,
} from '../kit/browser/paddock-page.ts';
import type { StaticSite } from '../kit/browser/static-site.ts';
import { writeTinyModel } from '../kit/models/tiny-model.ts';
import { until } from '../kit/until.ts';

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

/** The words of a stream that went on to its end, in which there was a pause. Fails where it ended otherwise. */
function takenUp({ text, failure }: { text: string; failure: string | null }): string {
  expect(failure).toBeNull();
  expect(text).toMatch(/^: .*goes on/m);
  return wordsOf(text);
}

/** The words of a stream that went on to its end. */
function wordsOf(text: string): string {
  expect(text.includes('[DONE]'), text.slice(-500)).toBe(true);
  const deltas = eventsOf(text).flatMap(({ choices }) => choices[0]?.delta ?? []);
  return deltas.map(({ content = '' }) => content).join('');
}

/** A reply that is still running when a tab has been closed. */
const STORY = { max_tokens: 600 };

/** One that is still running when a tab has crashed, which takes the browser up to seconds. */
const LONG_STORY = { max_tokens: 2000 };

/** The whole reply, when nothing happens meanwhile. */
async function undisturbed(page: Page, more: Record<string, unknown> = STORY): Promise<string> {
  return wordsOf((await (await startStream(page, more)).rest()).text);
}

/** Has the worker that runs the model hang, for good. */
async function hang(page: Page): Promise<void> {
  const worker = page.workers().find((candidate) => candidate.url().endsWith('/engine-worker.js'));
  if (!worker) throw new Error('This page runs no engine.');
  await worker.evaluate((ms) => {
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms));
  }, TIME_LIMIT_MS);
}

/** Freezes a tab: its page pauses as in a debugger, and its engine's worker hangs. */
async function freeze(page: Page): Promise<{ thaw: () => Promise<unknown> }> {
  const devtools = await browser.devtools(page);
  await hang(page);
  await devtools.send('Debugger.enable');
  await devtools.send('Debugger.pause');
  return { thaw: () => devtools.send('Debugger.disable') };
}

/** Some seconds of letters. */
const LETTERS = { type: 'string', pattern: '^[a-z ]{900}$' };

/** Waits until a generation runs. */
async function untilBusy(page: Page): Promise<void> {
  const readHealth = async () => (await (await fetch('/health')).json()) as { models: { busy: number }[] };
  await until(async () => (await page.evaluate(readHealth)).models.some(({ busy }) => busy > 0));
}

/** Waits until the page has an engine's worker. */
async function untilEngine(page: Page): Promise<Worker> {
  const find = () => page.workers().find((candidate) => candidate.url().endsWith('/engine-worker.js'));
  await expect.poll(() => find() !== undefined, { timeout: TIME_LIMIT_MS }).toBe(true);
  return find() as Worker;
}

describe('with the model in another tab', () => {
  it('a tab gets its replies from there, and word for word the same', async () => {
    expect(await chat(follower)).toBe(await chat(leader));
  });

  it.each<[how: string, more: object]>([
    ['with a seed', { temperature: 0.9, seed: 11 }],
    ['by a schema', { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: LETTERS } } }],
  ])(
    'a stream that the leader is closed on goes on in another tab, and says the very same: %s',
    async (_, how) => {
      const more = { ...STORY, ...how };
      const whole = await undisturbed(follower, more);
      const stream = await startStream(follower, more);
      await leader.close();
      expect(takenUp(await stream.rest())).toBe(whole);
      expect(await chat(follower)).not.toBe('');
    },
    TIME_LIMIT_MS,
  );

  it(
    'a reply that is not streamed goes on as well when the leader is closed',
    async () => {
      const whole = await chat(follower, STORY);
      const reply = chat(follower, STORY);
      await untilBusy(leader);
      await leader.close();
      expect(await reply).toBe(whole);
    },
    TIME_LIMIT_MS,
  );

  it(
    'a stream that the leader crashes on goes on as well',
    async () => {
      const devtools = await browser.devtools(leader);
      const whole = await undisturbed(follower, LONG_STORY);
      const stream = await startStream(follower, LONG_STORY);
      const crashed = leader.waitForEvent('crash');
      // It never answers: what would is gone.
      devtools.send('Page.crash').catch(() => {});
      await crashed;
      expect(takenUp(await stream.rest())).toBe(whole);
    },
    TIME_LIMIT_MS,
  );

  it(
    'a stream that the leader is frozen on goes on as well',
    async () => {
      const whole = await undisturbed(follower);
      const stream = await startStream(follower, STORY);
      const { thaw } = await freeze(leader);
      expect(takenUp(await stream.rest())).toBe(whole);
      await thaw();
    },
    TIME_LIMIT_MS,
  );

  it(
    'a stream whose engine hangs goes on with another one in the same tab',
    async () => {
      const whole = await undisturbed(leader);
      await follower.close();
      const stream = await startStream(leader, STORY);
      await hang(leader);
      expect(takenUp(await stream.rest())).toBe(whole);
    },
    TIME_LIMIT_MS,
  );

  it(
    'requests that an engine never took because it hangs are answered in the same tab, without an error',
    async () => {
      const ask = () =>
        Promise.all([chat(leader), request(leader, 'POST', '/v1/tokenize', { model: 'tiny', content: 'hello' })]);
      const [reply, { text: tokens }] = await ask();
      await follower.close();
      await hang(leader);
      expect(await ask()).toMatchObject([reply, { status: 200, text: tokens }]);
    },
    TIME_LIMIT_MS,
  );

  it(
    'a stream goes on from leader to leader',
    async () => {
      const whole = await undisturbed(follower);
      const stream = await startStream(follower, STORY);
      // The oldest of the tabs that wait is the next leader: the one that reads the stream. It stays.
      await leader.close();
      const engine = await untilEngine(follower);
      await engine.evaluate(() => setTimeout(() => close()));
      expect(takenUp(await stream.rest())).toBe(whole);
    },
    TIME_LIMIT_MS,
  );

  it(
    'a request that a frozen leader never took is answered by this tab, without an error',
    async () => {
      const { thaw } = await freeze(leader);
      expect(await chat(follower)).not.toBe('');
      await thaw();
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
