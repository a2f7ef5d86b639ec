import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { type ModelShape, writeModel } from '../test/fixtures/tiny-model.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { bundle } from '../test/support/bundle.ts';
import { arrivalsInPage, watchDelivery } from '../test/support/delivery.ts';
import { importModel, openPaddock, request, startPaddockSite, untilReady } from '../test/support/paddock-page.ts';
import type { StaticSite } from '../test/support/static-site.ts';
import { median, spread } from './statistics.ts';

/**
 * Measures Paddock in a browser: the time from opening a page to the first token of its model; the tokens per second
 * through the service worker and of wllama called directly in the same page; the time from computing a token to its
 * arrival in the page. The two rates are measured in turns, since a machine's speed drifts.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    tokens: { type: 'string', default: '64' },
    // 'half-billion', or 'tiny' to measure what each token costs besides its computation.
    shape: { type: 'string', default: 'half-billion' },
    visits: { type: 'string', default: '3' },
    // For machines with busy cores: two threads would wait for each other.
    'one-thread': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const tokens = Number(values.tokens);
const visits = Number(values.visits);

const DIRECT = '/direct.js';
const MODEL = 'subject';
const MESSAGE = 'Tell me of many things.';

/** The globals that the script `DIRECT` and `loadDirect` add to the page. */
interface DirectPage {
  Wllama: new (
    paths: { default: string },
    config: object,
  ) => {
    loadModel(files: Blob[], options: object): Promise<void>;
    createCompletion(options: object): Promise<unknown>;
    getNumThreads(): number;
  };
  /** Returns the times at which the page had each token, in ms. */
  runDirect?: (tokens: number) => Promise<number[]>;
}

/** Runs in the page and ends once the built-in model's first words have come. */
async function firstWordsInPage(): Promise<void> {
  const messages = [{ role: 'user', content: 'hello' }];
  const body = JSON.stringify({ model: 'pico', messages, temperature: 0, max_tokens: 16, stream: true });
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch('/v1/chat/completions', { method: 'POST', headers, body });
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!/"content":"[^"]/.test(text)) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`no first token: ${text}`);
    text += value;
  }
  await reader?.cancel();
}

/**
 * Returns the seconds from opening the site to the first token: on the first visit of a new profile, and after a
 * reload.
 */
async function visit(site: StaticSite): Promise<{ first: number; again: number }> {
  await using browser = await launchBrowser();
  let start = performance.now();
  const page = await openPaddock(browser, site);
  await page.evaluate(firstWordsInPage);
  const first = (performance.now() - start) / 1000;
  start = performance.now();
  await page.reload();
  await untilReady(page);
  await page.evaluate(firstWordsInPage);
  return { first, again: (performance.now() - start) / 1000 };
}

/** Loads the model once more in the page, with wllama set up as Paddock does it. */
async function loadDirect(page: Page, threads: number, contextLength: number): Promise<void> {
  await page.addScriptTag({ url: DIRECT, type: 'module' });
  await page.evaluate(
    async ([n_threads, n_ctx, message, id]) => {
      const direct = globalThis as unknown as DirectPage;
      const ignore = () => {};
      // wllama's own logger would write to the console for every token.
      const logger = { debug: ignore, log: ignore, warn: ignore, error: ignore };
      const managers = { cacheManager: {}, modelManager: {} };
      const wllama = new direct.Wllama({ default: '/paddock/wllama.wasm' }, { logger, ...managers });
      const model = await (await fetch(`/fixtures/${id}.gguf`)).blob();
      await wllama.loadModel([model], { n_ctx, n_threads, n_batch: 32, n_ubatch: 32, n_parallel: 1, log_level: 3 });
      if (wllama.getNumThreads() !== n_threads) throw new Error(`wllama runs ${wllama.getNumThreads()} threads`);
      direct.runDirect = async (count) => {
        const times: number[] = [];
        await wllama.createCompletion({
          prompt: `<|im_start|>user\n${message}<|im_end|>\n<|im_start|>assistant\n`,
          n_predict: count,
          temperature: 0,
          stream: true,
          onData: () => times.push(performance.now()),
        });
        return times;
      };
    },
    [threads, contextLength, MESSAGE, MODEL] as const,
  );
}

/** Returns the tokens per second. It counts from the first arrival on, since several tokens may come at once. */
function rateOf(times: number[]): number {
  const [first = 0] = times;
  const last = times.at(-1) ?? 0;
  return (1000 * times.filter((time) => time > first).length) / (last - first);
}

async function runDirect(page: Page): Promise<number> {
  const run = (count: number) => (globalThis as unknown as DirectPage).runDirect?.(count) ?? [];
  return rateOf(await page.evaluate(run, tokens));
}

async function runPaddock(page: Page): Promise<number> {
  const body = JSON.stringify({
    model: MODEL,
    messages: [{ role: 'user', content: MESSAGE }],
    temperature: 0,
    // wllama called directly applies no penalty by default, so this has none either.
    repeat_penalty: 1,
    max_tokens: tokens,
    stream: true,
  });
  return rateOf(await page.evaluate(arrivalsInPage, body));
}

if (!existsSync('dist-web')) throw new Error('There is no dist-web: npm run build makes it.');
const folder = mkdtempSync(join(tmpdir(), 'paddock-bench-'));
try {
  writeModel(join(folder, `${MODEL}.gguf`), values.shape as ModelShape);
  const direct = await bundle("import { Wllama } from '@wllama/wllama/esm/index.js'; globalThis.Wllama = Wllama;");
  await using site = await startPaddockSite({
    models: folder,
    files: { [DIRECT]: direct },
    // A page that is not cross-origin isolated has a single thread.
    options: values['one-thread'] ? { reload: false } : {},
  });

  const starts: { first: number; again: number }[] = [];
  for (let count = 0; count < visits; count++) starts.push(await visit(site));

  await using browser = await launchBrowser();
  const page = await openPaddock(browser, site);
  await importModel(page, `${MODEL}.gguf`);
  await runPaddock(page);
  const card = JSON.parse((await request(page, 'GET', `/v1/models/${MODEL}`)).text);
  await loadDirect(page, card.settings.cpu_threads, card.context_length);
  await runDirect(page);

  const rates: { direct: number; paddock: number }[] = [];
  for (let count = 0; count < rounds; count++) {
    // The two take turns at being first in a round.
    const order = count % 2 === 0 ? (['direct', 'paddock'] as const) : (['paddock', 'direct'] as const);
    const rate = { direct: 0, paddock: 0 };
    for (const who of order) rate[who] = await (who === 'direct' ? runDirect : runPaddock)(page);
    rates.push(rate);
  }
  const { computed, arrived } = await watchDelivery(page, tokens, MODEL);
  const lags = arrived.map((time, index) => time - (computed[index] ?? 0)).sort((a, b) => a - b);
  const steps = computed.slice(1).map((time, index) => time - (computed[index] ?? 0));

  process.stdout.write(
    [
      `${browser.version}, ${card.settings.cpu_threads} threads of ${cpus()[0]?.model}; ${tokens} tokens of the ${values.shape} model, ${rounds} rounds by turns; median (range)`,
      '',
      '| | |',
      '|---|---|',
      `| first visit to first token of pico | ${spread(
        starts.map(({ first }) => first),
        1,
      )} s |`,
      `| reload to first token of pico | ${spread(
        starts.map(({ again }) => again),
        1,
      )} s |`,
      `| wllama called directly | ${spread(
        rates.map((rate) => rate.direct),
        1,
      )} tokens/s |`,
      `| through the service worker | ${spread(
        rates.map(({ paddock }) => paddock),
        1,
      )} tokens/s |`,
      `| service worker, compared with the direct call, pair by pair | ${spread(rates.map((rate) => (100 * rate.paddock) / rate.direct))} % |`,
      `| one step | ${spread(steps, 1)} ms |`,
      `| from computing a token to its arrival in the page | ${median(lags).toFixed(1)} ms, 95 of 100 within ${lags[Math.floor(lags.length * 0.95)]?.toFixed(1)} ms |`,
      '',
    ].join('\n'),
  );
} finally {
  rmSync(folder, { recursive: true });
}
