import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { launchBrowser } from '../../test/kit/browser/browser.ts';
import { watchDelivery } from '../../test/kit/browser/delivery.ts';
import {
  chat,
  importModel,
  openPaddock,
  request,
  startPaddockSite,
  untilReady,
} from '../../test/kit/browser/paddock-page.ts';
import type { StaticSite } from '../../test/kit/browser/static-site.ts';
import { type ModelShape, writeModel } from '../../test/kit/models/tiny-model.ts';
import { rowsOf, writeInTurns } from '../in-turns.ts';
import { median, spread } from '../statistics.ts';
import { directFiles, isOnCard, loadDirect, MODEL, writersIn } from './in-page.ts';

/**
 * Measures Paddock in a browser: the time from opening a page to the first token of its model; the tokens per second
 * through the service worker and of wllama called directly in the same page; the time from computing a token to its
 * arrival in the page. The two rates are measured in turns, because the speed of a machine drifts.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    tokens: { type: 'string', default: '64' },
    // 'half-billion', or 'tiny' to measure the cost of a token without its computation.
    shape: { type: 'string', default: 'half-billion' },
    // The path of a GGUF in place of a made model.
    model: { type: 'string' },
    // Words of each prompt.
    words: { type: 'string', default: '20' },
    visits: { type: 'string', default: '3' },
    // For machines with busy cores, where two threads would wait for each other.
    'one-thread': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const tokens = Number(values.tokens);
const visits = Number(values.visits);

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

function startRows(starts: { first: number; again: number }[]): string[] {
  if (starts.length === 0) return [];
  const seconds = (of: 'first' | 'again') =>
    spread(
      starts.map((start) => start[of]),
      1,
    );
  return [
    `| first visit to first token of pico | ${seconds('first')} s |`,
    `| reload to first token of pico | ${seconds('again')} s |`,
  ];
}

if (!existsSync('dist-web')) throw new Error('There is no dist-web: npm run build makes it.');
const folder = mkdtempSync(join(tmpdir(), 'paddock-bench-'));
try {
  const file = join(folder, `${MODEL}.gguf`);
  if (values.model === undefined) writeModel(file, values.shape as ModelShape);
  else symlinkSync(resolve(values.model), file);
  await using site = await startPaddockSite({
    models: folder,
    files: await directFiles(),
    // A page that is not cross-origin isolated has a single thread.
    options: values['one-thread'] ? { reload: false } : {},
  });

  const starts: { first: number; again: number }[] = [];
  for (let count = 0; count < visits; count++) starts.push(await visit(site));

  await using browser = await launchBrowser();
  const page = await openPaddock(browser, site);
  await importModel(page, `${MODEL}.gguf`);
  await chat(page, { model: MODEL });
  const card = JSON.parse((await request(page, 'GET', `/v1/models/${MODEL}`)).text);
  await loadDirect(page, {
    threads: card.settings.cpu_threads,
    contextLength: card.context_length,
    fileBytes: statSync(file).size,
    tokens,
    slots: 1,
    onCard: await isOnCard(page),
  });
  const measured = await writeInTurns(writersIn(page), rounds, Number(values.words));
  const { computed, arrived } = await watchDelivery(page, tokens, MODEL);
  const lags = arrived.map((time, index) => time - (computed[index] ?? 0)).sort((a, b) => a - b);
  const steps = computed.slice(1).map((time, index) => time - (computed[index] ?? 0));

  const subject = values.model ?? `the ${values.shape} model`;
  process.stdout.write(
    [
      `${browser.version}, ${card.settings.cpu_threads} threads of ${cpus()[0]?.model}; ${tokens} tokens of ${subject}, ${rounds} rounds by turns; median (range)`,
      '',
      '| | First token, ms | Tokens/s | In pairs |',
      '|---|---|---|---|',
      ...rowsOf(measured),
      '',
      '| | |',
      '|---|---|',
      ...startRows(starts),
      `| one step | ${spread(steps, 1)} ms |`,
      `| from computing a token to its arrival in the page | ${median(lags).toFixed(1)} ms, 95 of 100 within ${lags[Math.floor(lags.length * 0.95)]?.toFixed(1)} ms |`,
      '',
    ].join('\n'),
  );
} finally {
  rmSync(folder, { recursive: true });
}
