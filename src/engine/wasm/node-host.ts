import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import type { Log } from '../../core/log.ts';
import type { Engine, EngineOptions } from '../engine.ts';
import { createWasmEngine, type WasmAssets } from './engine.ts';
import { installWebGlobals } from './node/globals.ts';
import { toLocalUrl } from './node/local-url.ts';
import { readSpecialTokens } from './node/special-tokens.ts';

/** A default that leaves room for the weights of most small models. */
const DEFAULT_CONTEXT = 4096;
/** The same for models that take a whole text in one pass, which needs memory for all of it. */
const DEFAULT_TEXT_LENGTH = 2048;
/** An abort waits for the pass under way, and on WebAssembly's CPU larger passes read prompts no faster. */
const MOST_BATCH = 32;

/**
 * Loads a model into WebAssembly inside this Node thread. It takes the default build where Node has Memory64 and JSPI
 * (24 and later), else the compatible one. `slots` is ignored: there is one.
 */
export async function loadWasmEngine(options: EngineOptions, log: Log): Promise<Engine> {
  installWebGlobals();
  return createWasmEngine({
    model: await Promise.all(options.files.map(openModelFile)),
    kind: options.kind,
    tokens: await readSpecialTokens(options.files[0] ?? ''),
    contextLength: options.contextLength ?? (options.kind === 'chat' ? DEFAULT_CONTEXT : DEFAULT_TEXT_LENGTH),
    threads: options.threads ?? availableParallelism(),
    batchSize: Math.min(options.batchSize, MOST_BATCH),
    gpuLayers: 0,
    assets: await packagedAssets(),
    log,
  });
}

/** A Blob that reads the file on demand. */
async function openModelFile(file: string): Promise<Blob> {
  try {
    return await openAsBlob(file);
  } catch (cause) {
    throw new Error(`The model file ${file} can't be opened.`, { cause });
  }
}

async function packagedAssets(): Promise<WasmAssets> {
  const { resolve } = createRequire(import.meta.url);
  return {
    wasm: toLocalUrl(resolve('@wllama/wllama/esm/wasm/wllama.wasm')),
    compat: {
      worker: { code: await readFile(resolve('@wllama/wllama-compat/wasm/wllama.js'), 'utf8') },
      wasm: toLocalUrl(resolve('@wllama/wllama-compat/wasm/wllama.wasm')),
    },
  };
}
