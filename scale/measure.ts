import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { residentMegabytes } from '../chaos/process.ts';
import { print, readNumber } from '../chaos/terminal.ts';
import { writeModel } from '../test/fixtures/tiny-model.ts';
import { enginePids } from '../test/support/engines.ts';
import { startServer } from '../test/support/server.ts';
import { chat, type Seen } from './chat.ts';
import { quantile, sum } from './statistics.ts';

/** What one replica costs and does, as `scale/replica.json` keeps it for the simulation. */
export interface ReplicaFigures {
  /** What was measured, in words. */
  model: string;
  machine: string;
  slots: number;
  contextLength: number;
  /** Until the server answers /ready, and then until the first token of the first request, in ms. */
  startMs: number;
  loadMs: number;
  /** Resident memory of the server and of its engine, in MB, after the load and with all slots filled. */
  serverMb: number;
  engineMb: number;
  engineFullMb: number;
  /** Tokens of a prompt that is not cached, in a second. */
  prefillTokensPerSecond: number;
  /** The time of one step with so many streams, in ms, by the number of streams. */
  stepMs: Record<string, number>;
  /** Until the first token of a prompt of `promptTokens`, not cached and cached, in ms. */
  ttft: { promptTokens: number; coldMs: number; warmMs: number };
}

/** A prompt of some hundred tokens. */
const LONG = 'the old bridge over the river is made of grey stones and '.repeat(8);

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    slots: { type: 'string', default: '16' },
    tokens: { type: 'string', default: '32' },
    out: { type: 'string', default: 'scale/replica.json' },
  },
});
const slots = readNumber('slots', values.slots, 1);
const tokens = readNumber('tokens', values.tokens, 2);
const contextLength = 2048;
const folder = mkdtempSync(join(tmpdir(), 'paddock-measure-'));
const path = values.model ?? join(folder, 'half-billion.gguf');
if (values.model === undefined) writeModel(path, 'half-billion');
const model = basename(path, '.gguf');

const begun = performance.now();
const server = await startServer(
  ['--models', dirname(path), '--backend', 'cpu', '--slots', String(slots), '--ctx-len', String(contextLength)],
  { PADDOCK_LOG_LEVEL: 'warn' },
);
try {
  const startMs = performance.now() - begun;
  const ask = (content: string, maxTokens = tokens) =>
    chat(server.url, { model, messages: [{ role: 'user', content }], maxTokens, stream: true });
  const loadMs = (await ask('hello', 1)).ms;
  const [engine = 0] = enginePids(server.pid);
  const engineMb = residentMegabytes(engine);

  const cold: Seen[] = [];
  const warm: Seen[] = [];
  for (let round = 0; round < 5; round++) {
    const text = `${round} ${LONG}`;
    cold.push(await ask(text, 2));
    warm.push(await ask(text, 2));
  }
  const median = (of: Seen[]) =>
    quantile(
      of.map(({ ttftMs }) => ttftMs),
      0.5,
    );

  const stepMs: Record<string, number> = {};
  for (let streams = 1; streams <= slots; streams *= 2) {
    await Promise.all(Array.from({ length: streams }, (_, index) => ask(`stream ${index}`, 2)));
    const seen = await Promise.all(Array.from({ length: streams }, (_, index) => ask(`stream ${index}`)));
    stepMs[streams] = round1(sum(seen, ({ ms, ttftMs }) => (ms - ttftMs) / (tokens - 1)) / streams);
  }
  await Promise.all(Array.from({ length: slots }, (_, index) => ask(`${index} ${LONG}`, 2)));

  const promptTokens = cold[0]?.promptTokens ?? 0;
  const figures: ReplicaFigures = {
    model: values.model === undefined ? 'Qwen2-shaped 0.5B, Q8_0, random weights' : model,
    machine: `${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}`,
    slots,
    contextLength,
    startMs: Math.round(startMs),
    loadMs: Math.round(loadMs),
    serverMb: residentMegabytes(server.pid),
    engineMb,
    engineFullMb: residentMegabytes(engine),
    prefillTokensPerSecond: round1((promptTokens * 1000) / (median(cold) - median(warm))),
    stepMs,
    ttft: { promptTokens, coldMs: Math.round(median(cold)), warmMs: Math.round(median(warm)) },
  };
  writeFileSync(values.out, `${JSON.stringify(figures, null, 2)}\n`);
  print(readFileSync(values.out, 'utf8'));
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}

function round1(value: number): number {
  return Math.round(value * 10) / 10;
}
