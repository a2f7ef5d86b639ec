import type { StreamOptions, Wllama, WorkerProxy } from '@wllama/wllama/esm/index.js';

// What wllama can do but does not offer. Its version is pinned, and the tests of media fail where this no longer holds.

/**
 * Makes wllama start more workers than llama.cpp computes with. wllama sets both numbers by `n_threads`, to be loaded with
 * the number of workers. A thread that llama.cpp starts while no worker is free waits for ever.
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
        // Where there can be no workers, wllama itself asks for one thread.
        act(
          action,
          action === 'load' ? { ...message, n_threads: Math.min(threads, Number(message.n_threads)) } : message,
        );
    },
  });
}

/**
 * `createCompletion` of a prompt in which the runtime's markers stand for files. wllama takes files with chats only, which
 * go through a template and a parser of llama.cpp's own.
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
