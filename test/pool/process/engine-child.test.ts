import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { startSpareEngine, takeEngine } from '../../../src/pool/process/engine-child.ts';
import { eventually } from '../../kit/eventually.ts';
import { enginePids, killEngines } from '../../kit/servers/engines.ts';

const PROGRAM = fileURLToPath(new URL('../../../dist/programs/engine.js', import.meta.url));
const OURS = { stockKernels: false };
const STOCK = { stockKernels: true };

/** Starts a process ahead, and returns its process id. */
async function startAhead(...libraries: Parameters<typeof startSpareEngine>): Promise<number | undefined> {
  startSpareEngine(...libraries);
  return await eventually(() => {
    const pids = enginePids();
    expect(pids).toHaveLength(1);
    return pids[0];
  });
}

afterEach(async () => {
  killEngines();
  await eventually(() => expect(enginePids()).toEqual([]));
});

describe('the process of an engine that was started ahead', () => {
  it.runIf(process.platform === 'linux')("opens llama.cpp's libraries for the CPU while it waits", async () => {
    const pid = await startAhead(OURS);
    await eventually(() => expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).toMatch(/libggml-cpu/));
    expect(takeEngine(OURS).pid).toBe(pid);
  });

  it.runIf(process.platform === 'linux')('opens none if the first model may run on a GPU', async () => {
    const pid = await startAhead(null);
    await eventually(() => expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).toMatch(/koffi/));
    expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).not.toMatch(/libggml/);
    expect(takeEngine(OURS).pid).toBe(pid);
  });

  it('is given to one model', async () => {
    const pid = await startAhead(OURS);
    const taken = takeEngine(OURS);
    expect(taken.pid).toBe(pid);
    expect(taken.spawnargs).toContain(PROGRAM);
    expect(takeEngine(OURS).pid).not.toBe(pid);
  });

  it.each([
    ['a GPU', null],
    ["llama.cpp's own kernels", STOCK],
  ])('ends when the first model needs the libraries for %s', async (_, wanted) => {
    const pid = await startAhead(OURS);
    const taken = takeEngine(wanted).pid;
    expect(taken).not.toBe(pid);
    await eventually(() => expect(enginePids()).toEqual([taken]));
  });
});
