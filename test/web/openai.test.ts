import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import { bundle } from '../kit/browser/bundle.ts';
import { openPaddock, startPaddockSite, untilIdle } from '../kit/browser/paddock-page.ts';
import type { StaticSite } from '../kit/browser/static-site.ts';

const TIME_LIMIT_MS = 120_000;
const CLIENT = '/openai.js';
const API_KEY = 'key-of-the-page';

let site: StaticSite;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  site = await startPaddockSite({
    models: inject('modelsFolder'),
    files: { [CLIENT]: await bundle("import * as openai from 'openai'; globalThis.openai = openai;") },
    options: { apiKeys: [API_KEY] },
  });
  browser = await launchBrowser();
  page = await openPaddock(browser, site);
  await page.addScriptTag({ url: CLIENT, type: 'module' });
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

/** What `use` gives in the page: the body of an async function of `client`, the `openai` module and `model`. */
function withClient<T>(use: string, apiKey = API_KEY): Promise<T> {
  return page.evaluate<T>(`(async ({ openai }, model) => {
    const client = new openai.default({
      baseURL: location.origin + '/v1',
      apiKey: '${apiKey}',
      maxRetries: 0,
      dangerouslyAllowBrowser: true,
    });
    ${use}
  })(globalThis, 'pico')`);
}

const HELLO = `{ model, temperature: 0, max_tokens: 24, messages: [{ role: 'user', content: 'hello' }] }`;

describe('the openai package, in a page', () => {
  it(
    'lists and retrieves models',
    async () => {
      const ids = await withClient<string[]>(`
        const ids = [];
        for await (const { id } of client.models.list()) ids.push(id);
        return ids;`);
      expect(ids).toContain('pico');
      expect(await withClient(`return client.models.retrieve(model)`)).toMatchObject({ id: 'pico', object: 'model' });
    },
    TIME_LIMIT_MS,
  );

  it(
    'chats, whole and streamed alike, with the usage',
    async () => {
      const whole = await withClient<{ choices: { message: { content: string } }[] }>(
        `return client.chat.completions.create(${HELLO})`,
      );
      const streamed = await withClient<{ text: string; chunks: number; tokens: number }>(`
        let text = '', chunks = 0, tokens = 0;
        const options = { stream: true, stream_options: { include_usage: true } };
        for await (const chunk of await client.chat.completions.create({ ...${HELLO}, ...options })) {
          chunks += 1;
          text += chunk.choices[0]?.delta.content ?? '';
          tokens = chunk.usage?.completion_tokens ?? tokens;
        }
        return { text, chunks, tokens };`);
      expect(streamed.text).toBe(whole.choices[0]?.message.content);
      expect(streamed.chunks).toBeGreaterThan(3);
      expect(streamed.tokens).toBeGreaterThan(1);
    },
    TIME_LIMIT_MS,
  );

  it(
    'stops the generation by leaving the loop',
    async () => {
      await withClient(`
        const long = { ...${HELLO}, max_tokens: 1000, stream: true };
        for await (const chunk of await client.chat.completions.create(long)) if (chunk.choices[0]?.delta.content) break;`);
      // Its own request would wait behind one that went on.
      expect(await withClient(`return (await client.chat.completions.create(${HELLO})).usage`)).toBeTruthy();
      await untilIdle(page, API_KEY);
    },
    TIME_LIMIT_MS,
  );

  it(
    'throws its own errors, with our words',
    async () => {
      const thrown = (call: string, key?: string) =>
        withClient<{ kind: string; status: number; message: string }>(
          `const names = ['AuthenticationError', 'NotFoundError', 'BadRequestError'];
           try { await ${call} } catch (error) {
             const kind = names.find((name) => error instanceof openai[name]);
             return { kind, status: error.status, message: error.message };
           }`,
          key,
        );
      expect(await thrown('client.models.list()', 'wrong')).toMatchObject({ kind: 'AuthenticationError', status: 401 });
      expect(await thrown(`client.chat.completions.create({ ...${HELLO}, model: 'none' })`)).toMatchObject({
        kind: 'NotFoundError',
        message: expect.stringContaining('none'),
      });
      expect(await thrown(`client.chat.completions.create({ ...${HELLO}, temperature: 9 })`)).toMatchObject({
        kind: 'BadRequestError',
        message: expect.stringContaining('between 0 and 2'),
      });
    },
    TIME_LIMIT_MS,
  );
});
