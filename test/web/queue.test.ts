import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../web/config.ts';
import type { BrowserConfig } from '../../web/protocol.ts';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import {
  chat,
  chatOf,
  importModel,
  openPaddock,
  startPaddockSite,
  startStream,
  untilIdle,
} from '../kit/browser/paddock-page.ts';
import type { StaticSite } from '../kit/browser/static-site.ts';

const TIME_LIMIT_MS = 120_000;
/** "Within a second" on a machine that does nothing else; the tests share theirs. */
const ABORT_LIMIT_MS = 3000;
/** Nearly the whole context of the tiny model, a token a letter at most. */
const LONG_PROMPT = [{ role: 'user', content: 'word '.repeat(190) }];
/** Pings so often that nobody has to wait ten seconds for one. */
const EAGER: BrowserConfig = { ...DEFAULT_CONFIG, pingIntervalMs: 200 };

let site: StaticSite;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  site = await startPaddockSite({ models: inject('modelsFolder') });
  browser = await launchBrowser();
  page = await openPaddock(browser, site);
  await importModel(page, 'tiny.gguf');
  await chat(page);
  await page.evaluate(async (config) => {
    const cache = await caches.open('paddock-config');
    await cache.put('/paddock-config.json', Response.json(config));
  }, EAGER);
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

describe('requests at once', () => {
  it(
    'of eight streams each comes to its end, in the order in which they came, the waiting ones kept alive by pings',
    async () => {
      const { finished, texts } = await page.evaluate(
        async (bodies) => {
          const order: number[] = [];
          const replies = bodies.map(async (body, index) => {
            const headers = { 'content-type': 'application/json' };
            const reply = await fetch('/v1/chat/completions', { method: 'POST', headers, body });
            const text = await reply.text();
            order.push(index);
            return text;
          });
          return { texts: await Promise.all(replies), finished: order };
        },
        Array.from({ length: 8 }, (_, index) =>
          JSON.stringify(
            chatOf({ stream: true, max_tokens: 60, messages: [{ role: 'user', content: `prompt number ${index}` }] }),
          ),
        ),
      );
      expect(finished).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(texts.filter((text) => !text.endsWith('data: [DONE]\n\n'))).toEqual([]);
      expect(texts[7]?.includes(': ping')).toBe(true);
    },
    TIME_LIMIT_MS,
  );

  it(
    'of several tabs are answered in turn',
    async () => {
      const tabs = await Promise.all([1, 2, 3].map(() => openPaddock(browser, site)));
      const expected = await chat(page);
      expect(await Promise.all([...tabs, page].map((tab) => chat(tab)))).toEqual(Array(4).fill(expected));
      await Promise.all(tabs.map((tab) => tab.close()));
    },
    TIME_LIMIT_MS,
  );
});

describe('a client that leaves', () => {
  it(
    'a stream frees the engine',
    async () => {
      const stream = await startStream(page);
      await stream.abort();
      expect((await stream.rest()).failure).toMatch(/AbortError/);
      expect(await millisecondsOf(untilIdle(page))).toBeLessThan(ABORT_LIMIT_MS);
    },
    TIME_LIMIT_MS,
  );

  it(
    'a reply that is not streamed frees the engine',
    async () => {
      expect(await leave(chatOf({ max_tokens: null }))).toBe('AbortError');
      expect(await millisecondsOf(untilIdle(page))).toBeLessThan(ABORT_LIMIT_MS);
    },
    TIME_LIMIT_MS,
  );

  it.each([true, false])(
    'while its prompt is read frees the engine, streamed: %s',
    async (stream) => {
      const body = chatOf({ stream, messages: LONG_PROMPT, max_tokens: null, cache_prompt: false });
      expect(await leave(body)).toBe('AbortError');
      expect(await millisecondsOf(untilIdle(page))).toBeLessThan(ABORT_LIMIT_MS);
    },
    TIME_LIMIT_MS,
  );

  it(
    'while it waits disturbs nobody',
    async () => {
      // To the end of the context: it must not be over before the other one waits.
      const running = await startStream(page, { max_tokens: null });
      const gone = leave(chatOf({}), 'waiting');
      expect(await gone).toBe('AbortError');
      const { text, failure } = await running.rest();
      expect(failure).toBeNull();
      expect(text.includes('[DONE]')).toBe(true);
      await untilIdle(page);
    },
    TIME_LIMIT_MS,
  );
});

/** Sends a request, leaves it as soon as /health counts one that runs or waits, and gives the name of what fetch threw. */
function leave(body: Record<string, unknown>, counted: 'busy' | 'waiting' = 'busy'): Promise<string> {
  return page.evaluate(
    async ([text, field]) => {
      const call = new AbortController();
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: text, signal: call.signal };
      let over = false;
      const ended = fetch('/v1/chat/completions', init)
        .then((reply) => reply.text())
        .catch((error: Error) => error.name)
        .finally(() => {
          over = true;
        });
      const isCounted = async () => {
        const { models } = (await (await fetch('/health')).json()) as { models: { busy: number; waiting: number }[] };
        return models.some((model) => model[field] > 0);
      };
      while (!over && !(await isCounted())) await new Promise((resolve) => setTimeout(resolve, 10));
      call.abort();
      return ended;
    },
    [JSON.stringify(body), counted] as const,
  );
}

async function millisecondsOf(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work;
  return performance.now() - start;
}
