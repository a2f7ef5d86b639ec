import { join } from 'node:path';
import { readText, send } from '../../kit/http.ts';
import { writeTinyModel } from '../../kit/models/tiny-model.ts';
import { isAlive, residentMegabytes } from '../../kit/process.ts';
import { count } from '../../kit/terminal.ts';
import { messageOf } from '../chaos/asking.ts';
import { keepLog, startWorld, waitForModel } from '../chaos/world.ts';
import { type Case, describeCase, type FuzzModels, makeCase, type OpenApi } from './cases.ts';
import { checkRaw, checkReply, type Verdict } from './check.ts';
import { exchange } from './raw-exchange.ts';

export interface RequestFuzzOptions {
  seed: number;
  /** The numbers of the cases: `count` numbers from `first` on. */
  first: number;
  count: number;
  /** The server's `main.js`. */
  main: string;
  progress: (line: string) => void;
}

export interface RequestFuzzReport {
  /** The number of cases by status and code, or by the kind of raw bytes. */
  counts: ReadonlyMap<string, number>;
  failures: string[];
  /** Figures, for people. */
  lines: string[];
}

const CONNECTIONS = 48;
/** The timeout of a reply, in ms. */
const LONGEST_MS = 30_000;
/** The most time that /health may take at the end, in ms. */
const HEALTH_MS = 500;
/** The chat model has a short window, so its replies are short. */
const MODELS: FuzzModels = { chat: 'swift', embedding: 'embed/mini', rerank: 'rerank/mini' };

/** Sends cases to a new server over real connections, and checks each reply. */
export async function fuzzRequests(options: RequestFuzzOptions): Promise<RequestFuzzReport> {
  await using world = await startWorld(options.main, ['--slots', '8', '--ctx-len', '128']);
  writeTinyModel(join(world.models, `${MODELS.chat}.gguf`), { endBias: 2 });
  const { url, pid } = world.server;
  await waitForModel(url, MODELS.chat);
  const document = JSON.parse(await readText(await send(url, { path: '/openapi.json' }))) as OpenApi;
  const counts = new Map<string, number>();
  const failures: string[] = [];
  const start = performance.now();
  const memoryBefore = residentMegabytes(pid);
  const end = options.first + options.count;
  let next = options.first;
  let longest = { ms: 0, index: 0 };

  const work = async () => {
    while (next < end && isAlive(pid)) {
      const index = next++;
      const made = makeCase(document, MODELS, options.seed, index);
      const began = performance.now();
      const { name, failure } = await runCase(url, made);
      const ms = performance.now() - began;
      if (ms > longest.ms) longest = { ms, index };
      count(counts, name);
      if (failure !== null)
        failures.push(`--seed ${options.seed} --only ${index}: ${failure}\n    ${describeCase(made).slice(0, 1000)}`);
      if ((index + 1) % 10_000 === 0) options.progress(`${index + 1} sent, ${failures.length} failures`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  const seconds = (performance.now() - start) / 1000;

  const health = await askHealth(url);
  if (health.failure !== null) failures.push(health.failure);
  const lines = [
    `${options.count} cases in ${seconds.toFixed(0)} s, the slowest took ${Math.round(longest.ms)} ms (--only ${longest.index})`,
    `/health at the end: ${Math.round(health.ms)} ms`,
    `resident memory of the server, MB: start ${memoryBefore}, end ${residentMegabytes(pid)}`,
  ];
  if (failures.length > 0) lines.push(`log: ${keepLog(world, `fuzz-${options.seed}`)}`);
  return { counts, failures, lines };
}

async function runCase(url: string, made: Case): Promise<Verdict> {
  if (made.kind === 'raw') return checkRaw(made.raw, await exchange(url, made.raw));
  const timeout = AbortSignal.timeout(LONGEST_MS);
  try {
    const reply = await send(url, made.sent, timeout);
    return checkReply(made.sent, reply.statusCode ?? 0, reply.headers['content-type'] ?? '', await readText(reply));
  } catch (error) {
    const name = timeout.aborted ? 'hang' : `broken connection: ${messageOf(error)}`;
    return { name, failure: timeout.aborted ? `no end within ${LONGEST_MS / 1000} s` : name };
  }
}

/** Checks that the server answers quickly and that all slots are free. */
async function askHealth(url: string): Promise<{ ms: number; failure: string | null }> {
  const start = performance.now();
  try {
    const text = await readText(await send(url, { path: '/health' }));
    const ms = performance.now() - start;
    const { models } = JSON.parse(text) as { models: { busy: number; waiting: number }[] };
    if (models.some(({ busy, waiting }) => busy + waiting > 0)) return { ms, failure: `slots leaked: ${text}` };
    return { ms, failure: ms > HEALTH_MS ? `/health took ${Math.round(ms)} ms` : null };
  } catch (error) {
    return { ms: performance.now() - start, failure: `/health did not answer: ${messageOf(error)}` };
  }
}
