import { mkdtempSync, openAsBlob, rmSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { parseArgs } from 'node:util';
import { Wllama } from '@wllama/wllama/esm/index.js';
import { sseData } from '../src/api/stream/sse-data.ts';
import { CACHES, type WasmCache } from '../src/engine/wasm/load-params.ts';
import { installWebGlobals } from '../src/engine/wasm/node/globals.ts';
import { toLocalUrl } from '../src/engine/wasm/node/local-url.ts';
import { startServer } from '../test/kit/servers/server.ts';
import { rowsOf, type StreamedReply, type Writer, writeInTurns } from './in-turns.ts';

/**
 * Measures WebAssembly on Node: wllama called directly in this process, and Paddock's server, which runs wllama in
 * another thread and answers over HTTP. Both have the same file, threads, batch, prompts and sampling.
 */
const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'models/pico/pico.gguf' },
    threads: { type: 'string', default: '1,2' },
    batches: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '5' },
    tokens: { type: 'string', default: '200' },
    // Words of each prompt.
    words: { type: 'string', default: '50' },
    // The layers on WebGPU, with --direct-only, for a Node that has it: CONTRIBUTING.md says how.
    'gpu-layers': { type: 'string', default: '0' },
    // The format of keys and values in wllama: f32, which Paddock takes on WebAssembly if it fits, f16, or q8_0.
    caches: { type: 'string', default: 'f32' },
    // Measures wllama alone, to compare threads, batches and caches.
    'direct-only': { type: 'boolean', default: false },
  },
});
const tokens = Number(values.tokens);
const file = resolvePath(values.model);

interface Load {
  threads: number;
  batch: number;
  cache: string;
}

installWebGlobals();
print(
  `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}; ${values.model}, ${tokens} tokens, ${values.rounds} rounds by turns; median (range)\n`,
);
print('| Threads | Batch | Cache | | First token, ms | Tokens/s | In pairs |\n|---|---|---|---|---|---|---|');
for (const threads of numbers(values.threads)) {
  for (const batch of numbers(values.batches)) {
    for (const cache of values.caches.split(',')) await measure({ threads, batch, cache });
  }
}

async function measure(load: Load): Promise<void> {
  await using direct = await loadDirect(load);
  await using server = values['direct-only'] ? null : await serve(load, direct.noEnd);
  const measured = await writeInTurns(
    server ? [direct, server] : [direct],
    Number(values.rounds),
    Number(values.words),
  );
  for (const row of rowsOf(measured)) print(`| ${load.threads} | ${load.batch} | ${load.cache} ${row}`);
}

async function loadDirect({ threads, batch, cache }: Load): Promise<Writer & AsyncDisposable & { noEnd: object }> {
  const { resolve } = createRequire(import.meta.url);
  const ignore = () => {};
  const logger = { debug: ignore, log: ignore, warn: ignore, error: ignore };
  const paths = { default: toLocalUrl(resolve('@wllama/wllama/esm/wasm/wllama.wasm')) };
  const wllama = new Wllama(paths, { logger, cacheManager: {}, modelManager: {} });
  wllama.setCompat({
    worker: { code: await readFile(resolve('@wllama/wllama-compat/wasm/wllama.js'), 'utf8') },
    wasm: toLocalUrl(resolve('@wllama/wllama-compat/wasm/wllama.wasm')),
  });
  await wllama.loadModel([await openAsBlob(file)], {
    n_ctx: 2048,
    n_batch: batch,
    n_ubatch: batch,
    n_threads: threads,
    n_parallel: 1,
    n_gpu_layers: Number(values['gpu-layers']),
    ...(cache !== 'f16' && CACHES[cache as WasmCache]),
    ctx_shift: false,
    chat_template: '{{ messages[0].content }}',
    log_level: 3,
  });
  // Every reply must have its full length.
  const noEnd = { [wllama.getEOS()]: -100 };
  const write = async (prompt: string): Promise<StreamedReply> => {
    const reply: StreamedReply = { start: performance.now(), times: [], text: '' };
    const request = { prompt, n_predict: tokens, temperature: 0, logit_bias: noEnd };
    const onData = (chunk: unknown) => note(reply, chunk);
    await wllama.createCompletion({ ...request, stream: true, abortSignal: new AbortController().signal, onData });
    return reply;
  };
  return { name: 'wllama', write, noEnd, [Symbol.asyncDispose]: () => wllama.exit() };
}

async function serve({ threads, batch }: Load, noEnd: object): Promise<Writer & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-bench-'));
  symlinkSync(file, join(folder, 'subject.gguf'));
  const sizes = ['--threads', String(threads), '--batch', String(batch), '--slots', '1', '--ctx-len', '2048'];
  const server = await startServer(['--backend', 'wasm', '--models', folder, ...sizes]);
  const write = async (prompt: string): Promise<StreamedReply> => {
    // wllama called directly applies no penalty by default, so this has none either.
    const sampling = { temperature: 0, repeat_penalty: 1, logit_bias: noEnd, max_tokens: tokens };
    const body = JSON.stringify({ model: 'subject', prompt, ...sampling, stream: true });
    const headers = { 'content-type': 'application/json' };
    const reply: StreamedReply = { start: performance.now(), times: [], text: '' };
    const response = await fetch(`${server.url}/v1/completions`, { method: 'POST', headers, body });
    if (!response.ok || !response.body) throw new Error(await response.text());
    for await (const data of sseData(response.body)) if (data !== '[DONE]') note(reply, JSON.parse(data));
    return reply;
  };
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  };
  return { name: 'Paddock', write, [Symbol.asyncDispose]: stop };
}

/** Adds a chunk to a reply. llama-server and Paddock have the same form of chunks. */
function note(reply: StreamedReply, chunk: unknown): void {
  const text = (chunk as { choices: { text?: string }[] }).choices[0]?.text ?? '';
  if (text === '') return;
  reply.times.push(performance.now());
  reply.text += text;
}

function numbers(list: string): number[] {
  return list.split(',').map(Number);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
