import type { Page } from 'playwright-core';
import { chatOf } from './paddock-page.ts';

/** When each token of a stream was computed, and when the page had it: in ms, by one clock. */
export interface Delivery {
  computed: number[];
  arrived: number[];
}

interface NotingWorker {
  paddockComputed?: number[];
}

/**
 * Streams a chat in the page that runs the engine. A token counts as computed when the engine's worker posts it, and as
 * arrived when the page has read its chunk.
 */
export async function watchDelivery(page: Page, tokens: number, model = 'tiny'): Promise<Delivery> {
  const worker = page.workers().find((candidate) => candidate.url().endsWith('/engine-worker.js'));
  if (!worker) throw new Error('This page runs no engine.');
  await worker.evaluate(() => {
    const noting = globalThis as NotingWorker;
    noting.paddockComputed = [];
    const { prototype } = MessagePort as unknown as { prototype: { postMessage: (...args: unknown[]) => void } };
    const post = prototype.postMessage;
    prototype.postMessage = function (this: unknown, ...args: unknown[]) {
      const { kind, event } = (args[0] ?? {}) as { kind?: string; event?: { events?: { kind: string }[] } };
      if (kind === 'event' && event?.events?.some((told) => told.kind === 'text')) {
        noting.paddockComputed?.push(performance.timeOrigin + performance.now());
      }
      post.apply(this, args);
    };
  });
  const body = JSON.stringify(chatOf({ model, stream: true, max_tokens: tokens }));
  const arrived = await page.evaluate(arrivalsInPage, body);
  const computed = await worker.evaluate(() => (globalThis as NotingWorker).paddockComputed ?? []);
  return { computed, arrived };
}

/** Runs in the page: asks for a stream, and tells when it had each token. */
export async function arrivalsInPage(body: string): Promise<number[]> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch('/v1/chat/completions', { method: 'POST', headers, body });
  const times: number[] = [];
  let rest = '';
  for await (const text of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const now = performance.timeOrigin + performance.now();
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) if (/"content":"[^"]/.test(event)) times.push(now);
  }
  return times;
}
