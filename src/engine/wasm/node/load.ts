import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Log } from '../../../contract/log.ts';
import { readGgufHeader } from '../../../gguf/header.ts';
import { withOpenFile } from '../../../gguf/node/open-file.ts';
import { readSpecialTokens } from '../../../gguf/special-tokens.ts';
import { sum } from '../../../utils/sum.ts';
import { wasmBatch } from '../../batch-size.ts';
import { defaultContextLength } from '../../context-length.ts';
import type { EngineOptions, TextEngine } from '../../engine.ts';
import { usableCores } from '../../node/cores.ts';
import { createWasmEngine, type WasmAssets } from '../engine.ts';
import { mostUsefulThreads } from '../threads.ts';
import { installWebGlobals, webNavigator } from './globals.ts';
import { toLocalUrl } from './local-url.ts';

/**
 * Loads a model into WebAssembly on this Node thread. Takes the default build if Node has Memory64 and JSPI (24 and
 * later), else the compatible one. Ignores `slots`: there is one. Throws an `Error` that names the file if a file of
 * the model can't be opened, and the errors of `createWasmEngine`.
 */
export async function loadWasmEngine(options: EngineOptions, log: Log): Promise<TextEngine> {
  installWebGlobals();
  const model = await Promise.all(options.files.map(openModelFile));
  const projector = options.projector === undefined ? undefined : await openModelFile(options.projector);
  const fileBytes = sum([...model, projector].map((file) => file?.size ?? 0));
  const threads = options.threads ?? Math.min(usableCores().count, mostUsefulThreads(fileBytes));
  // Only a program that brings WebGPU along has it in Node.
  const gpuLayers = 'gpu' in webNavigator() ? (options.gpuLayers ?? 0) : 0;
  return createWasmEngine({
    model,
    ...(projector && { projector }),
    kind: options.kind,
    tokens: await tokensOf({ path: options.files[0] ?? '', size: model[0]?.size ?? 0 }),
    contextLength: options.contextLength ?? defaultContextLength({ backend: 'wasm', kind: options.kind, trained: 0 }),
    threads,
    batchSize: gpuLayers > 0 ? options.batchSize : Math.min(options.batchSize, wasmBatch(fileBytes, threads)),
    gpuLayers,
    ...(options.floatCache && gpuLayers === 0 && { cache: 'f32' }),
    ...(options.kvType === 'q8_0' && gpuLayers > 0 && { cache: 'q8_0' }),
    assets: await packagedAssets(),
    log,
  });
}

function tokensOf(file: { path: string; size: number }) {
  return withOpenFile(file, async (source) => readSpecialTokens(source, await readGgufHeader(source)));
}

/** Opens a Blob that reads the file on demand. */
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
