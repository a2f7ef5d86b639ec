import type { StreamOptions, Wllama, WorkerProxy } from '@wllama/wllama/esm/index.js';

// This module uses private parts of wllama. wllama's version is pinned, and `private-parts.test.ts` or `media.test.ts` fails
// if a part changes.

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

/**
 * Runs `createCompletion` for a prompt in which the runtime's markers stand for files. wllama's public way takes files
 * only with chats, which go through llama.cpp's own template and parser.
 */
export async function completeWithFiles(
  wllama: Wllama,
  options: StreamOptions & object,
  files: Uint8Array[],
): Promise<void> {
  const data_json = JSON.stringify(options);
  const message = { _name: 'cmpl_req', is_chat: false, data_json, files };
  const accepted = await wllama.proxy?.wllamaAction('completion', message);
  if (accepted?.success !== true) throw new Error('The WebAssembly runtime did not accept a prompt with media.');
  await wllama.getResponse(options, true, Number(accepted.req_id));
}
