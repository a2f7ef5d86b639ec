import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import { chat, importModel, openPaddock, request, startPaddockSite, untilServed } from '../kit/browser/paddock-page.ts';
import type { StaticSite } from '../kit/browser/static-site.ts';

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

const TOKENS = 16;
const HELLO = [{ role: 'user', content: 'hello' }];

interface Part {
  text?: string;
  content?: Part[];
}
const joined = (parts: Part[] = []): string => parts.map((part) => part.text ?? joined(part.content)).join('');

/** The other APIs, each with the chat of `chat`, the text of its whole reply, and how its stream ends. */
const OTHER_APIS: [path: string, body: object, textOf: (reply: never) => string, lastEvent: string][] = [
  [
    '/v1/responses',
    { input: 'hello', max_output_tokens: TOKENS },
    ({ output }: { output: Part[] }) => joined(output),
    'event: response.incomplete',
  ],
  [
    '/v1/messages',
    { messages: HELLO, max_tokens: TOKENS },
    ({ content }: { content: Part[] }) => joined(content),
    'event: message_stop',
  ],
  [
    '/api/chat',
    { messages: HELLO, options: { num_predict: TOKENS, temperature: 0 }, stream: false },
    ({ message }: { message: { content: string } }) => message.content,
    '"done":true',
  ],
];

/** Asks the model that was imported. */
const ask = (path: string, body: object) => request(page, 'POST', path, { model: 'tiny', temperature: 0, ...body });

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

  it.each(OTHER_APIS)(
    '%s answers, whole and streamed, with the text of the chat',
    async (path, body, textOf, lastEvent) => {
      const whole = await ask(path, body);
      expect(whole.status).toBe(200);
      expect(textOf(JSON.parse(whole.text) as never)).toBe(before.tiny);
      const streamed = await ask(path, { ...body, stream: true });
      expect(streamed.text).toContain(lastEvent);
    },
    TIME_LIMIT_MS,
  );

  it(
    'the built-in model answers typed questions with probabilities',
    async () => {
      const questions = {
        urgent: { type: 'noul', instructions: 'Is it urgent?' },
        team: { type: 'choice', instructions: 'Who handles it?', criteria: { billing: 'Payments', bug: 'Errors' } },
      };
      const asked = { model: 'pico', state: 'I was charged twice.', questions };
      const { status, text } = await request(page, 'POST', '/v1/systemone', asked);
      expect(status).toBe(200);
      const { answers } = JSON.parse(text);
      expect(answers.urgent.noul).toBeGreaterThan(0);
      expect(answers.team.probabilities.billing + answers.team.probabilities.bug).toBeCloseTo(1, 6);
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
