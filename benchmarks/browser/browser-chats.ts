import { mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../test/kit/browser/browser.ts';
import { chat, importModel, openPaddock, request, startPaddockSite } from '../../test/kit/browser/paddock-page.ts';
import { findModel } from '../compare/models.ts';
import { rateOf, type StreamedReply, type Writer } from '../in-turns.ts';
import { median, pairedRatio, spread, turns } from '../statistics.ts';
import { directFiles, isOnCard, loadDirect, MODEL, writersIn } from './in-page.ts';

/**
 * Measures one model in a browser, through the service worker and with wllama called directly in the same page, by
 * turns: how fast a long prompt is read, how fast one chat and two chats at once are written, and how long the engine
 * computes after a page has aborted its request, while a prompt is read and while a reply is written.
 */
const { values } = parseArgs({
  options: {
    // One of the models of `npm run bench`, or a GGUF file.
    model: { type: 'string', default: '0.5b-q8_0' },
    folder: { type: 'string', default: '.cache/bench' },
    // Words of the long prompt. A number has about five tokens of the made models.
    words: { type: 'string', default: '200' },
    tokens: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '2' },
    aborts: { type: 'string', default: '3' },
    // For machines with busy cores, where two threads would wait for each other.
    'one-thread': { type: 'boolean', default: false },
  },
});
const [words, tokens, rounds, aborts] = [values.words, values.tokens, values.rounds, values.aborts].map(Number) as [
  number,
  number,
  number,
  number,
];
/** Words of the prompts of short chats. */
const FEW_WORDS = 10;
/** A prompt is aborted at half of the time that it takes, but not later than this, in ms after the request. */
const READ_MS = 2000;

let prompts = 0;

/** Returns a prompt that no cache has. */
function promptOf(count: number): string {
  prompts += 1;
  return Array.from({ length: count }, (_, word) => prompts * 1009 + word * 3).join(' ');
}

async function countTokens(page: Page, content: string): Promise<number> {
  const { text } = await request(page, 'POST', '/tokenize', { model: MODEL, content });
  return JSON.parse(text).tokens.length;
}

/** Returns the tokens of the prompt per second until the first token of the reply. */
async function readRate(page: Page, { write }: Writer): Promise<number> {
  const prompt = promptOf(words);
  const { start, times } = await write(prompt);
  return (1000 * (await countTokens(page, prompt))) / ((times[0] ?? Number.NaN) - start);
}

/** Returns the tokens per second of so many chats at once, all together, with their prompts. */
async function writeRate({ write }: Writer, chats: number): Promise<number> {
  const replies = await Promise.all(Array.from({ length: chats }, () => write(promptOf(FEW_WORDS))));
  const end = Math.max(...replies.map(({ times }) => times.at(-1) ?? Number.NaN));
  return (1000 * chats * tokens) / (end - Math.min(...replies.map(({ start }: StreamedReply) => start)));
}

/** Measures one thing of a writer. */
type Measure = (writer: Writer) => Promise<number>;

/**
 * Measures both writers by turns and prints the row of the table. A writer that fails is not asked again; the reason
 * stands in its place. Returns the rates of each.
 */
async function row(writers: Writer[], what: string, of: Measure): Promise<number[][]> {
  const rates = writers.map((): number[] => []);
  const failures = writers.map((): string => '');
  for (let round = 0; round < rounds; round++) {
    for (const index of turns(writers.length, round)) {
      if (failures[index]) continue;
      try {
        rates[index]?.push(await of(writers[index] as Writer));
      } catch (error) {
        failures[index] = `failed: ${String(error).slice(0, 300)}`;
      }
    }
  }
  const [direct = [], own = []] = rates;
  const share = ((pairedRatio(own, direct) ?? Number.NaN) * 100).toFixed(0);
  print(`| ${what} | ${rates.map((rate, index) => failures[index] || spread(rate, 1)).join(' | ')} | ${share} % |`);
  return rates;
}

/** Returns the ms from an abort in the page until the engine is idle: in the reply, or else `afterMs` after the request. */
function abortDelay(page: Page, promptWords: number, afterMs: number | null): Promise<number> {
  const messages = [{ role: 'user', content: promptOf(promptWords) }];
  const body = JSON.stringify({ model: MODEL, messages, max_tokens: 1000, stream: true });
  return page.evaluate(abortInPage, { body, afterMs });
}

/** Runs in the page, which asks for the state of its engine again and again. */
async function abortInPage({ body, afterMs }: { body: string; afterMs: number | null }): Promise<number> {
  const call = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const asked = fetch('/v1/chat/completions', { method: 'POST', headers, body, signal: call.signal });
  const firstWords = async () => {
    const reader = (await asked).body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; !/"content":"[^"]/.test(text); ) text += (await reader?.read())?.value ?? '';
  };
  if (afterMs === null) await firstWords();
  else await new Promise((resolve) => setTimeout(resolve, afterMs));
  const aborted = performance.now();
  call.abort();
  await asked.catch(() => {});
  const isBusy = async () => {
    const { models } = (await (await fetch('/health')).json()) as { models: { busy: number }[] };
    return models.some(({ busy }) => busy > 0);
  };
  while (await isBusy());
  return performance.now() - aborted;
}

const folder = mkdtempSync(join(tmpdir(), 'paddock-bench-'));
try {
  const file = join(folder, `${MODEL}.gguf`);
  symlinkSync(findModel(values.model, values.folder).file, file);
  await using site = await startPaddockSite({
    models: folder,
    files: await directFiles(),
    // A page that is not cross-origin isolated has a single thread.
    options: values['one-thread'] ? { reload: false } : {},
  });
  await using browser = await launchBrowser();
  const page = await openPaddock(browser, site);
  await importModel(page, `${MODEL}.gguf`);
  await chat(page, { model: MODEL });
  const onCard = await isOnCard(page);
  const card = JSON.parse((await request(page, 'GET', `/v1/models/${MODEL}`)).text);
  const { cpu_threads: threads } = card.settings;
  const fileBytes = statSync(file).size;
  await loadDirect(page, { threads, contextLength: card.context_length, fileBytes, tokens, slots: 2, onCard });
  const writers = writersIn(page);
  for (const { write } of writers) await write(promptOf(FEW_WORDS));

  const where = onCard ? 'the graphics card' : `${threads} threads of ${cpus()[0]?.model}`;
  print(
    `${browser.version} on ${where}; ${values.model}, a window of ${card.context_length} tokens, replies of ${tokens} tokens, ${rounds} rounds by turns; tokens/s, median (range)\n`,
  );
  print(`| | ${writers.map(({ name }) => name).join(' | ')} | In pairs |\n|---|---|---|---|`);
  const promptTokens = await countTokens(page, promptOf(words));
  const [, read = []] = await row(writers, `a prompt of ${promptTokens} tokens`, (writer) => readRate(page, writer));
  await row(writers, 'a reply after its first token', async ({ write }) =>
    rateOf((await write(promptOf(FEW_WORDS))).times),
  );
  await row(writers, 'one chat, with its prompt', (writer) => writeRate(writer, 1));
  await row(writers, 'two chats at once, with their prompts', (writer) => writeRate(writer, 2));

  const halfPromptMs = (500 * promptTokens) / median(read);
  for (const [what, promptWords, afterMs] of [
    ['while a prompt is read', words, Math.min(READ_MS, halfPromptMs)],
    ['while a reply is written', FEW_WORDS, null],
  ] as const) {
    const delays: number[] = [];
    for (let count = 0; count < aborts; count++) delays.push(await abortDelay(page, promptWords, afterMs));
    print(`| from an abort ${what} to an idle engine | | ${spread(delays)} ms | |`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
