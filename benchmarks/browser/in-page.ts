import type { Page } from 'playwright-core';
import { wasmBatch } from '../../src/engine/batch-size.ts';
import { FLOAT_CACHE } from '../../src/engine/wasm/load-params.ts';
import { usesCard } from '../../test/kit/browser/browser.ts';
import { bundle } from '../../test/kit/browser/bundle.ts';
import { request } from '../../test/kit/browser/paddock-page.ts';
import type { StreamedReply, Writer } from '../in-turns.ts';

// wllama called directly in a page of Paddock, to compare the two.

const DIRECT = '/direct.js';

/** The id of the model that both run. */
export const MODEL = 'subject';

/** Returns the files of a site whose pages can call wllama directly. */
export async function directFiles(): Promise<Record<string, string>> {
  return {
    [DIRECT]: await bundle("import { Wllama } from '@wllama/wllama/esm/index.js'; globalThis.Wllama = Wllama;"),
  };
}

/** The globals that the script `DIRECT` and `loadDirect` add to the page. */
interface DirectPage {
  Wllama: new (
    paths: { default: string },
    config: object,
  ) => {
    loadModel(files: Blob[], options: object): Promise<void>;
    createCompletion(options: object): Promise<unknown>;
    getNumThreads(): number;
    getEOS(): number;
  };
  writeDirect?: (prompt: string) => Promise<StreamedReply>;
  writeByPaddock?: (prompt: string) => Promise<StreamedReply>;
}

/**
 * Loads the model once more in the page with the options that Paddock gives wllama, and adds functions that stream from
 * both.
 */
export async function loadDirect(page: Page, load: DirectLoad): Promise<void> {
  await page.addScriptTag({ url: DIRECT, type: 'module' });
  const settings = load.onCard
    ? { batch: CARD_BATCH, cache: {}, layers: ALL_LAYERS }
    : { batch: wasmBatch(load.fileBytes, load.threads), cache: FLOAT_CACHE, layers: 0 };
  await page.evaluate(loadDirectInPage, { ...load, ...settings, id: MODEL });
}

/**
 * Returns true if Paddock computes its loaded model on the graphics card. Throws if the browser was to use one and does
 * not.
 */
export async function isOnCard(page: Page): Promise<boolean> {
  const { models } = JSON.parse((await request(page, 'GET', '/health')).text) as { models: { backend: string }[] };
  const onCard = models[0]?.backend === 'gpu';
  if (usesCard() && !onCard) throw new Error(`The model is not on a graphics card: ${JSON.stringify(models)}`);
  return onCard;
}

/** The tokens of a forward pass on a graphics card that is not slow. */
const CARD_BATCH = 512;
/** More layers than any model has. */
const ALL_LAYERS = 999;

/** How to load a model directly. */
export interface DirectLoad {
  threads: number;
  /** In tokens. */
  contextLength: number;
  /** The size of the model's file. */
  fileBytes: number;
  /** The tokens of each reply. */
  tokens: number;
  /** The generations that may run at once. */
  slots: number;
  /** True if all layers are on the graphics card, with half floats in the KV cache. */
  onCard: boolean;
}

/** Runs in the page. */
async function loadDirectInPage({
  threads,
  contextLength,
  tokens,
  slots,
  id,
  batch,
  cache,
  layers,
}: DirectLoad & { id: string; batch: number; cache: object; layers: number }): Promise<void> {
  const page = globalThis as unknown as DirectPage;
  const ignore = () => {};
  const errors: unknown[] = [];
  const onError = (...words: unknown[]) => errors.push(...words);
  // wllama's own logger would write to the console for every token.
  const logger = { debug: ignore, log: ignore, warn: ignore, error: onError };
  const managers = { cacheManager: {}, modelManager: {} };
  const wllama = new page.Wllama({ default: '/paddock/wllama.wasm' }, { logger, ...managers });
  const model = await (await fetch(`/fixtures/${id}.gguf`)).blob();
  const batches = { n_batch: batch, n_ubatch: batch, n_parallel: slots };
  const sizes = { n_ctx: contextLength, n_threads: threads, n_gpu_layers: layers, ...batches };
  await wllama.loadModel([model], { ...sizes, ...cache, log_level: 3 });
  if (wllama.getNumThreads() !== threads) throw new Error(`wllama runs ${wllama.getNumThreads()} threads`);
  // Every reply must have its full length.
  const sampling = { temperature: 0, logit_bias: { [wllama.getEOS()]: -100 } };
  const note = (reply: StreamedReply, chunk: { choices: { text?: string }[] }) => {
    const text = chunk.choices[0]?.text ?? '';
    if (text === '') return;
    reply.times.push(performance.now());
    reply.text += text;
  };

  page.writeDirect = async (prompt) => {
    const reply: StreamedReply = { start: performance.now(), times: [], text: '' };
    const onData = (chunk: { choices: { text?: string }[] }) => note(reply, chunk);
    const asked = { prompt, n_predict: tokens, ...sampling, stream: true, onData };
    await wllama.createCompletion(asked).catch((error: unknown) => {
      throw new Error([error, ...errors.slice(-3)].join('; '));
    });
    return reply;
  };
  page.writeByPaddock = async (prompt) => {
    // wllama called directly applies no penalty by default, so this has none either.
    const body = { model: id, prompt, ...sampling, repeat_penalty: 1, max_tokens: tokens, stream: true };
    const headers = { 'content-type': 'application/json' };
    const reply: StreamedReply = { start: performance.now(), times: [], text: '' };
    const response = await fetch('/v1/completions', { method: 'POST', headers, body: JSON.stringify(body) });
    let rest = '';
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (rest + text).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) if (event.startsWith('data: {')) note(reply, JSON.parse(event.slice(6)));
    }
    return reply;
  };
}

/** Returns the two writers of a page after `loadDirect`. */
export function writersIn(page: Page): Writer[] {
  return [
    {
      name: 'wllama called directly',
      write: (prompt) =>
        page.evaluate((text) => (globalThis as unknown as DirectPage).writeDirect?.(text) as never, prompt),
    },
    {
      name: 'Paddock through the service worker',
      write: (prompt) =>
        page.evaluate((text) => (globalThis as unknown as DirectPage).writeByPaddock?.(text) as never, prompt),
    },
  ];
}
