import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeModel } from '../test/fixtures/tiny-model.ts';
import type { RunningContestant } from './contestants/contestant.ts';
import { engine } from './contestants/engine.ts';
import { naive } from './contestants/naive.ts';
import { server } from './contestants/server.ts';
import { median } from './figures.ts';

/**
 * Measures the tokens per second of many parallel streams together: with a simple loop over node-llama-cpp, with
 * Paddock's engine, and with Paddock over HTTP. At first all contestants must give the same texts. They are measured in
 * turns, since a machine's speed drifts.
 */
const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '16' },
    tokens: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '5' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
});
const streams = Number(values.streams);
const tokens = Number(values.tokens);

const contestants = [naive, engine, server];
const messages = Array.from({ length: streams }, (_, index) => `Tell me of thing number ${index}.`);

/** Returns the seconds until all streams have ended. */
async function round({ generate }: RunningContestant): Promise<number> {
  const start = performance.now();
  await Promise.all(messages.map((message) => generate(message, tokens)));
  return (performance.now() - start) / 1000;
}

const folder = mkdtempSync(join(tmpdir(), 'paddock-bench-'));
const running: RunningContestant[] = [];
try {
  const path = join(folder, 'half-billion.gguf');
  writeModel(path, 'half-billion');
  for (const { start } of contestants) {
    running.push(await start({ path, streams, threads: Number(values.threads), contextLength: 512 }));
  }
  const sayings = await Promise.all(running.map(({ generate }) => generate('hello', 8)));
  if (new Set(sayings).size !== 1) throw new Error(`the contestants disagree: ${JSON.stringify(sayings)}`);

  const rates: number[][] = contestants.map(() => []);
  for (let count = 0; count < Number(values.rounds); count++) {
    for (const [index, contestant] of running.entries()) {
      rates[index]?.push((streams * tokens) / (await round(contestant)));
    }
  }
  const base = rates[0] ?? [];
  const rows = contestants.map(({ name }, index) => {
    const own = rates[index] ?? [];
    const ratio = median(own.map((rate, turn) => rate / (base[turn] ?? Number.NaN)));
    return `| ${name} | ${median(own).toFixed(0)} | ${Math.min(...own).toFixed(0)}-${Math.max(...own).toFixed(0)} | ${ratio.toFixed(1)} |`;
  });
  process.stdout.write(
    [
      `${streams} streams of ${tokens} tokens, Qwen2-shaped 0.5B Q8_0, ${values.threads} threads of ${cpus()[0]?.model}, Node ${process.version}, ${values.rounds} rounds`,
      '',
      '| | tokens/s, median | range | times the first, median of pairs |',
      '|---|---|---|---|',
      ...rows,
      '',
    ].join('\n'),
  );
} finally {
  for (const contestant of running) await contestant[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
}
