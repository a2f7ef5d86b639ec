import type { Page } from 'playwright-core';
import type { BrowserConfig } from '../../../web/protocol.ts';
import { until } from '../until.ts';
import type { TestBrowser } from './browser.ts';
import { type StaticSite, startStaticSite } from './static-site.ts';

/** The site that `npm run build` makes. */
const BUILT = 'dist-web';

/** The path of the page of `startPaddockSite` that only starts Paddock. */
export const TEST_PAGE = '/test.html';

/** The globals that the test page sets. */
interface StartedPage {
  paddockState?: 'ready' | { failed: string };
}

/** The globals of a page that starts Paddock by itself, such as the chat page. */
interface ServedPage {
  navigator: { serviceWorker?: { controller: unknown } };
  crossOriginIsolated: boolean;
}

export interface PaddockSite {
  /** More files, by their paths. The model files are under /fixtures. */
  files?: Record<string, string>;
  /** The folder of the model files. */
  models: string;
  /** The options of `startPaddock`. With `reload: false`, the page is never isolated and has one thread. */
  options?: Partial<BrowserConfig> & { reload?: false };
}

/** Serves the built site, a page that starts Paddock as a user of the library does, and model files to import. */
export function startPaddockSite({ files, models, options = {} }: PaddockSite): Promise<StaticSite> {
  const page = `<!doctype html><html lang="en"><title>Test</title><script type="module">
import { startPaddock } from './paddock/client.js';
startPaddock(${JSON.stringify(options)}).then(
  () => { globalThis.paddockState = 'ready'; },
  (error) => { globalThis.paddockState = { failed: String(error) }; },
);
</script></html>`;
  return startStaticSite({ folders: { '/fixtures/': models, '/': BUILT }, files: { ...files, [TEST_PAGE]: page } });
}

/** Opens a tab with the test page and waits until Paddock answers there. */
export async function openPaddock(browser: TestBrowser, site: StaticSite): Promise<Page> {
  const page = await browser.open(site.url + TEST_PAGE);
  await untilReady(page);
  return page;
}

/** Waits until `startPaddock` has resolved, through the reload that isolates the page. Throws its error. */
export async function untilReady(page: Page, timeout = 60_000): Promise<void> {
  const started = await page.waitForFunction(() => (globalThis as StartedPage).paddockState, undefined, { timeout });
  const state = await started.jsonValue();
  if (state !== 'ready') throw new Error(`Paddock did not start: ${JSON.stringify(state)}`);
}

/**
 * Waits until the service worker answers a page that starts Paddock by itself, such as the chat page, through its
 * reload.
 */
export async function untilServed(page: Page): Promise<void> {
  const isServed = async () => {
    const { navigator, crossOriginIsolated } = globalThis as unknown as ServedPage;
    if (!navigator.serviceWorker?.controller || !crossOriginIsolated) return false;
    return (await fetch('/v1/models')).ok;
  };
  // `waitForFunction` would take the promise itself for true. The reload ends an evaluation with an error.
  await until(() => page.evaluate(isServed).catch(() => false));
}

/**
 * Imports a model file of the site into the page's store, as a user does with a file from disk. Throws the error of the
 * API.
 */
export async function importModel(page: Page, filename: string, apiKey = ''): Promise<void> {
  const reply = await page.evaluate(importInPage, { filename, apiKey });
  const last = eventsOf(reply.text).at(-1);
  if (reply.status !== 200 || last?.status !== 'done') throw new Error(`import of ${filename}: ${reply.text}`);
}

/** Pulls a model into the page's store. Throws the error of the API. */
export async function pullModel(page: Page, source: string, apiKey = ''): Promise<void> {
  const reply = await page.evaluate(pullInPage, { source, apiKey });
  const last = eventsOf(reply.text).at(-1);
  if (reply.status !== 200 || last?.status !== 'done') throw new Error(`pull of ${source}: ${reply.text}`);
}

/** Runs in the page. */
async function pullInPage({ source, apiKey }: { source: string; apiKey: string }): Promise<ImportReply> {
  const reply = await fetch('/v1/models/pull', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: source, stream: true }),
  });
  return { status: reply.status, text: await reply.text() };
}

/** Runs in the page. */
export async function importInPage({ filename, apiKey }: { filename: string; apiKey: string }): Promise<ImportReply> {
  const file = await (await fetch(`/fixtures/${filename}`)).blob();
  const reply = await fetch(`/v1/models/import?filename=${encodeURIComponent(filename)}&size=${file.size}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', authorization: `Bearer ${apiKey}` },
    body: file,
  });
  return { status: reply.status, text: await reply.text() };
}

interface ImportReply {
  status: number;
  text: string;
}

/** The reply that a page received. */
export interface PageReply {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Sends a request in the page and reads the whole reply. An object is sent as JSON. */
export function request(page: Page, method: string, path: string, body?: unknown): Promise<PageReply> {
  return page.evaluate(requestInPage, { method, path, body: body === undefined ? null : JSON.stringify(body) });
}

interface Asked {
  method: string;
  path: string;
  body: string | null;
}

/** Runs in the page. */
async function requestInPage({ method, path, body }: Asked): Promise<PageReply> {
  const reply = await fetch(path, { method, ...(body && { body, headers: { 'content-type': 'application/json' } }) });
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
}

/** Sends a chat request in the page and returns the content of the reply. Throws with the reply if it is an error. */
export async function chat(page: Page, more: Record<string, unknown> = {}): Promise<string> {
  const { status, text } = await request(page, 'POST', '/v1/chat/completions', chatOf(more));
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return JSON.parse(text).choices[0].message.content;
}

/** Returns the body of a short greedy chat request. */
export function chatOf(more: Record<string, unknown>): Record<string, unknown> {
  const messages = [{ role: 'user', content: 'hello' }];
  return { model: 'tiny', messages, temperature: 0, max_tokens: 16, ...more };
}

/** A stream that runs in a page. Its name distinguishes it from other streams of the page. */
export interface RunningStream {
  /** Reads to the end. Returns all that came, and the error if the page's fetch failed. */
  rest(): Promise<{ text: string; failure: string | null }>;
  /** Aborts the stream, as the stop button does. */
  abort(): Promise<void>;
}

interface StreamingPage {
  paddockStreams?: Record<string, { rest: Promise<{ text: string; failure: string | null }>; abort: () => void }>;
}

/** Starts a chat stream in the page that fills the context window, and waits for its first words. */
export async function startStream(page: Page, more: Record<string, unknown> = {}): Promise<RunningStream> {
  const name = crypto.randomUUID();
  const body = JSON.stringify(chatOf({ stream: true, max_tokens: null, ...more }));
  await page.evaluate(streamInPage, { name, body });
  return {
    rest: () => page.evaluate((of) => (globalThis as StreamingPage).paddockStreams?.[of]?.rest as never, name),
    abort: () => page.evaluate((of) => (globalThis as StreamingPage).paddockStreams?.[of]?.abort(), name),
  };
}

/** Runs in the page. */
async function streamInPage({ name, body }: { name: string; body: string }): Promise<void> {
  const page = globalThis as StreamingPage;
  page.paddockStreams ??= {};
  const call = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch('/v1/chat/completions', { method: 'POST', headers, body, signal: call.signal });
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const isDone = async () => {
    const { done, value } = (await reader?.read()) ?? { done: true, value: '' };
    text += value ?? '';
    return done;
  };
  while (!/"content":"[^"]/.test(text)) if (await isDone()) throw new Error(`the stream ended early: ${text}`);
  const readRest = async () => {
    try {
      while (!(await isDone()));
      return { text, failure: null };
    } catch (error) {
      return { text, failure: String(error) };
    }
  };
  page.paddockStreams[name] = { rest: readRest(), abort: () => call.abort() };
}

/** The JSON that follows `data: ` in an event stream, without the `[DONE]`. */
// biome-ignore lint/suspicious/noExplicitAny: what is said is checked by the tests, not by types.
export function eventsOf(text: string): any[] {
  const data = text.split('\n\n').filter((event) => event.startsWith('data: {'));
  return data.map((event) => JSON.parse(event.slice('data: '.length)));
}

/** Waits until /health in the page reports no running and no waiting request. */
export async function untilIdle(page: Page, apiKey?: string): Promise<void> {
  const isIdle = ({ busy, waiting }: ModelState) => busy === 0 && waiting === 0;
  const readHealth = async (key: string | null) => {
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    return (await (await fetch('/health', { headers })).json()) as { models: ModelState[] };
  };
  await until(async () => (await page.evaluate(readHealth, apiKey ?? null)).models.every(isIdle));
}

interface ModelState {
  busy: number;
  waiting: number;
}
