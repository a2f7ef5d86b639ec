import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { THREAD_FLAGS } from '../../../src/pool/threads/thread-flags.ts';

const SCRIPT = `
  const { parentPort, workerData } = require('node:worker_threads');
  try {
    require(workerData);
    parentPort.postMessage('loaded');
  } catch ({ code }) {
    parentPort.postMessage(code);
  }
`;

describe('a worker thread of ours', () => {
  // Where it does, and the thread is ended meanwhile, Node 20 aborts the whole process.
  it('loads no ES module by require', async () => {
    const workerData = fileURLToPath(new URL('../../../dist/programs/prepare.js', import.meta.url));
    const worker = new Worker(SCRIPT, { eval: true, execArgv: THREAD_FLAGS, workerData });
    expect(await once(worker, 'message')).toEqual(['ERR_REQUIRE_ESM']);
    await worker.terminate();
  });
});
