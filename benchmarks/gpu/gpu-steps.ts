import { createDriver } from '../../src/engine/native/step/driver.ts';
import { gpuCost } from '../../src/engine/native/step/gpu-cost.ts';
import { createPassTimes } from '../../src/engine/native/step/pass-times.ts';
import { warmUp } from '../../src/engine/native/step/warm-up.ts';
import { H100, simulateDecoder } from '../../test/kit/simulated-gpu.ts';
import { type SimulatedRun, simulateLoad } from '../../test/kit/simulated-load.ts';

/**
 * Simulates the steps of an engine on an H100, on a clock of its own: the real planner, and a device whose first pass of a
 * shape takes longer. Prints the tokens per second and how many steps with a reply in every stream had which
 * micro-batches. A server's streams rise from 1 to 4 and 16, as in a benchmark.
 *
 * `node dist/benchmarks/gpu/gpu-steps.js`; it needs no model and no GPU, and takes some seconds.
 */
const PROMPTS = [60, 300, 1000];
const STREAMS = [1, 4, 16, 64];
const REPLIES = { requests: 4, replyTokens: 100 };
/** How the engine plans: as on a CPU, and as on a GPU. */
const WAYS = { 'by measured times': 512, 'as on a GPU': 2048 } as const;

for (const gpu of Object.values(H100)) {
  for (const promptTokens of PROMPTS) {
    process.stdout.write(`${gpu.name}, prompts of ${promptTokens} tokens\n`);
    for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[]) {
      const simulated = simulateDecoder(gpu, Math.max(...STREAMS), WAYS[way]);
      const driver = await makeDriver(simulated, way);
      for (const streams of STREAMS) {
        const run = await simulateLoad(simulated, driver, gpu.drawMs, { ...REPLIES, streams, promptTokens });
        process.stdout.write(`  ${way.padEnd(17)} ${String(streams).padStart(2)} streams  ${describe(run)}\n`);
      }
    }
  }
}

async function makeDriver({ decoder, clock }: ReturnType<typeof simulateDecoder>, way: keyof typeof WAYS) {
  const times = createPassTimes();
  const threads = { reply: 1, prompt: 1 };
  const batchMs = way === 'as on a GPU' ? gpuCost : times.of;
  const driver = createDriver(decoder, threads, { governed: false, batchMs, clock }, times);
  if (way === 'as on a GPU') await warmUp(decoder, driver, clock);
  return driver;
}

function describe({ tokensPerSecond, stepMs, firstTokenMs: { p50, p99 }, batches }: SimulatedRun): string {
  const most = [...batches].sort(([, one], [, other]) => other - one).slice(0, 3);
  const shapes = most.map(([shape, count]) => `${count} of ${shape}`).join(', ');
  const first = `first token ${p50.toFixed(0)} / ${p99.toFixed(0)} ms`;
  return `${tokensPerSecond.toFixed(0)} tokens/s, ${stepMs.toFixed(1)} ms a step, ${first}, steps: ${shapes}`;
}
