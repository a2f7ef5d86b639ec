import type { Page } from 'playwright-core';

/** The times at which each token of a stream was computed, and at which the page had it: in ms, by one clock. */
export interface Delivery {
  computed: number[];
  arrived: number[];
}

interface NotingWorker {
  paddockComputed?: number[];
}

/**
 * Streams a completion in the page that runs the engine. A token counts as computed once the engine's worker reads it,
 * and as arrived once the page has read its chunk. A plain completion is used because it streams every token.
 */
export async function watchDelivery(page: Page, tokens: number, model = 'tiny'): Promise<Delivery> {
  const worker = page.workers().find((candidate) => candidate.url().endsWith('/engine-worker.js'));
  if (!worker) throw new Error('This page runs no engine.');
  await worker.evaluate(() => {
    const noting = globalThis as NotingWorker;
    noting.paddockComputed = [];
    const { parse } = JSON;
    JSON.parse = (...args) => {
      const value = parse(...args);
      const chunks: { choices?: { text?: string }[] }[] = [value].flat();
      for (const chunk of chunks) {
        if (chunk?.choices?.[0]?.text) noting.paddockComputed?.push(performance.timeOrigin + performance.now());
      }
      return value;
    };
  });
  const body = JSON.stringify({ model, prompt: 'hello', temperature: 0, stream: true, max_tokens: tokens });
  const arrived = await page.evaluate(arrivalsInPage, body);
  const computed = await worker.evaluate(() => (globalThis as NotingWorker).paddockComputed ?? []);
  return { computed, arrived };
}

/** Runs in the page: sends the request and returns the time of arrival of each token. */
async function arrivalsInPage(body: string): Promise<number[]> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch('/v1/completions', { method: 'POST', headers, body });
  const times: number[] = [];
  let rest = '';
  for await (const text of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const now = performance.timeOrigin + performance.now();
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) if (/"text":"[^"]/.test(event)) times.push(now);
  }
  return times;
}
