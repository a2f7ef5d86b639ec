import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, inject, it, vi } from 'vitest';
import { loadNativeModel, unloadModel } from '../../../src/engine/native/llama/llama.ts';
import { leaveOutTryOut } from '../../../src/engine/node/no-try-out.ts';
import { silentLog } from '../../kit/log.ts';

const { fork } = childProcess;

function putFork(replacement: typeof fork): void {
  childProcess.fork = replacement;
  syncBuiltinESMExports();
}

afterEach(() => putFork(fork));

/** Loads a model and tells how many processes that took. */
async function processesOfALoad(): Promise<number> {
  const options = {
    files: [join(inject('modelsFolder'), 'tiny.gguf')],
    kind: 'chat' as const,
    contextLength: 256,
    slots: 1,
    threads: 1,
    batchSize: 64,
  };
  const before = forked.mock.calls.length;
  const loaded = await loadNativeModel(options, 'cpu', silentLog, { needed: 0, available: 1e9 });
  await unloadModel(loaded);
  return forked.mock.calls.length - before;
}

const forked = vi.fn(fork);

it('a model is loaded without the process in which node-llama-cpp tries its binary', async () => {
  putFork(forked as typeof fork);
  // If this is 0, node-llama-cpp tries no more, or in another way: then the whole module can go.
  expect(await processesOfALoad()).toBe(1);
  leaveOutTryOut();
  expect(await processesOfALoad()).toBe(0);
});

it('other processes are still forked', async () => {
  leaveOutTryOut();
  const child = childProcess.fork('none', { execArgv: ['--eval=process.exit(7)'] });
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(7);
});
