import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeModel } from '../../test/kit/models/tiny-model.ts';
import { residentMegabytes } from '../../test/kit/process.ts';
import { enginePids } from '../../test/kit/servers/engines.ts';
import { startServer } from '../../test/kit/servers/server.ts';
import { print, readNumber } from '../../test/kit/terminal.ts';
import { chat } from './chat.ts';
import type { ReplicaFigures } from './replica.ts';
import { quantile } from './statistics.ts';

/** Measures the costs and the speed of one replica, with the 0.5B model or another one. */

/** A prompt of some hundred tokens. */
const LONG = 'the old bridge over the river is made of grey stones and '.repeat(8);

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    slots: { type: 'string', default: '16' },
    tokens: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '3' },
    out: { type: 'string', default: 'benchmarks/scale/replica.json' },
  },
});
const slots = readNumber('slots', values.slots, 1);
const tokens = readNumber('tokens', values.tokens, 2);
const rounds = readNumber('rounds', values.rounds, 1);
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
  /**
   * Returns the time of a step with this many streams, in ms: the lower quartile of the gaps between tokens, because
   * other work on the machine makes gaps longer and never shorter. The prompts are cached by then.
   */
  const stepOf = async (streams: number) => {
    const all = () => Promise.all(Array.from({ length: streams }, (_, index) => ask(`stream ${index}`)));
    await all();
    const gaps = (await all()).flatMap(({ gapsMs }) => gapsMs);
    return Math.round(quantile(gaps, 0.25) * 10) / 10;
  };
  const loadMs = (await ask('hello', 1)).ms;
  const [engine = 0] = enginePids(server.pid);
  const engineMb = residentMegabytes(engine);

  let promptTokens = 0;
  let [coldMs, warmMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const stepMs: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    const cold = await ask(`${round} ${LONG}`, 2);
    promptTokens = cold.promptTokens;
    coldMs = Math.min(coldMs, cold.ttftMs);
    warmMs = Math.min(warmMs, (await ask(`${round} ${LONG}`, 2)).ttftMs);
    for (let streams = 1; streams <= slots; streams *= 2)
      stepMs[streams] = Math.min(stepMs[streams] ?? Number.POSITIVE_INFINITY, await stepOf(streams));
  }
  await Promise.all(Array.from({ length: slots }, (_, index) => ask(`${index} ${LONG}`, 2)));

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
    prefillTokensPerSecond: Math.round((promptTokens * 1000) / (coldMs - warmMs)),
    stepMs,
    ttft: { promptTokens, coldMs: Math.round(coldMs), warmMs: Math.round(warmMs) },
  };
  writeFileSync(values.out, `${JSON.stringify(figures, null, 2)}\n`);
  print(readFileSync(values.out, 'utf8'));
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}
