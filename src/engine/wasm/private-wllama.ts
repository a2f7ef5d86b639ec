import type { Wllama, WllamaLogger, WorkerProxy } from '@wllama/wllama/esm/index.js';
import type { Chunk } from './chunks.ts';

// This module uses private parts of wllama. wllama's version is pinned, and `private-parts.test.ts` or `media.test.ts`
// fails if a part changes.

/**
 * Makes wllama start more workers than llama.cpp computes with. wllama derives both numbers from `n_threads`: load it
 * with the number of workers, and this reduces the number for llama.cpp to `threads`. A thread that llama.cpp starts
 * while no worker is free would wait for ever.
 */
export function computeWith(wllama: Wllama, threads: number): void {
  let proxy: WorkerProxy | null = null;
  Object.defineProperty(wllama, 'proxy', {
    get: () => proxy,
    set(created: WorkerProxy | null) {
      proxy = created;
      if (!created) return;
      const act = created.wllamaAction.bind(created);
      created.wllamaAction = (action, message) =>
        // If there can be no workers, wllama itself sets one thread.
        act(
          action,
          action === 'load' ? { ...message, n_threads: Math.min(threads, Number(message.n_threads)) } : message,
        );
    },
  });
}

/** A completion to run. */
export interface CompletionRun {
  /** In llama-server's words. */
  params: object;
  /** The media for the runtime's markers in the prompt, in order. */
  files: Uint8Array[];
  /** Ends the run at the next step. */
  signal: AbortSignal;
  onChunk: (chunk: Chunk) => void;
}

/**
 * If a step takes less than this, in ms, the next one is requested before its result arrives. This delays an abort by
 * one step.
 */
const QUICK_STEP_MS = 25;

/**
 * Runs a completion to its end, or until it is aborted. wllama's own function requests each step after it has the
 * result of the step before; llama.cpp idles meanwhile, with small models for much of the time. This function requests
 * the next step, if steps are quick, while the result of the previous one is still on its way. It also takes media with
 * any prompt; wllama's own function takes media only with chats, which use llama.cpp's template and parser. Throws if a
 * step fails.
 *
 * @param logger called with the details of an error, before the error is thrown without them
 */
export async function complete(
  { proxy }: Pick<Wllama, 'proxy'>,
  { params, files, signal, onChunk }: CompletionRun,
  logger: Pick<WllamaLogger, 'error'>,
): Promise<void> {
  if (!proxy) throw new Error('No model is loaded.');
  const data_json = JSON.stringify(params);
  const accepted = await proxy.wllamaAction('completion', { _name: 'cmpl_req', is_chat: false, data_json, files });
  if (accepted.success !== true) throw new Error('The WebAssembly runtime did not accept a completion.');
  const req_id = accepted.req_id;
  const step = () => proxy.wllamaAction('get_result', { _name: 'gres_req', req_id });

  let ahead: Promise<Record<string, unknown>> | null = null;
  let over = false;
  try {
    while (!over && !signal.aborted) {
      const begun = performance.now();
      const result: Record<string, unknown> = await (ahead ?? step());
      over = result.has_more !== true;
      ahead = !over && performance.now() - begun < QUICK_STEP_MS ? step() : null;
      // It may reject before it is awaited.
      ahead?.catch(() => {});
      for (const chunk of chunksOf(String(result.data_json), result.is_error === true, logger)) onChunk(chunk);
    }
  } finally {
    // The slot is free for the next completion only after all requested steps have ended.
    await ahead?.catch(() => {});
    if (!over) await proxy.wllamaAction('cancel', { _name: 'cncl_req', req_id }).catch(() => {});
  }
}

/** The chunks of one step: none, one or a list. */
function chunksOf(json: string, isError: boolean, logger: Pick<WllamaLogger, 'error'>): Chunk[] {
  // llama-server says null when it begins.
  if (json === '' || json === 'null') return [];
  const data = JSON.parse(json) as Chunk | Chunk[] | { message?: string };
  if (isError) {
    logger.error('The model returned an error', data);
    throw new Error('message' in data ? data.message : 'unknown error of the WebAssembly runtime');
  }
  return Array.isArray(data) ? data : [data as Chunk];
}
