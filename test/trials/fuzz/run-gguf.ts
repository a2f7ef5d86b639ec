import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDice } from '../../kit/dice.ts';
import { nameRefusal, readText, type Sent, send, toRefusal } from '../../kit/http.ts';
import { isAlive, residentMegabytes } from '../../kit/process.ts';
import { count } from '../../kit/terminal.ts';
import { messageOf } from '../chaos/asking.ts';
import { keepLog, startWorld, type World, waitForModel } from '../chaos/world.ts';
import { type Mutant, mutateGguf } from './mutate-gguf.ts';

export interface GgufFuzzOptions {
  seed: number;
  /** The numbers of the mutants: `count` numbers from `first` on. */
  first: number;
  count: number;
  /** The server's `main.js`. */
  main: string;
  /** The folder where failed mutants are kept; undefined keeps none. */
  keep: string | undefined;
  progress: (line: string) => void;
}

export interface GgufFuzzReport {
  /** The number of mutants by outcome. */
  outcomes: ReadonlyMap<string, number>;
  /** The number of dead engines by cause. */
  deaths: ReadonlyMap<string, number>;
  failures: string[];
  /** Figures, for people. */
  lines: string[];
}

/** A valid model, and a short request for its mutants. */
interface Original {
  file: Buffer;
  name: string;
  ask: (model: string) => Sent;
}

const BATCH = 100;
const AT_ONCE = 2;
/** The timeout of a request, in ms. The watchdog takes 30 s to find an engine that hangs while it loads. */
const LONGEST_MS = 120_000;
const PICO = 'models/pico/pico.gguf';

/** Puts mutants into the models folder of a new server, asks each a question, and counts the outcomes. */
export async function fuzzGguf(options: GgufFuzzOptions): Promise<GgufFuzzReport> {
  await using world = await startWorld(options.main, ['--slots', '1', '--ctx-len', '128', '--max-loaded-models', '2']);
  const originals = readOriginals(world.models);
  const outcomes = new Map<string, number>();
  const failures: string[] = [];
  const { pid, url } = world.server;
  const memoryBefore = residentMegabytes(pid);
  const start = performance.now();
  const end = options.first + options.count;

  for (let first = options.first; first < end && isAlive(pid); first += BATCH) {
    const mutants = Array.from({ length: Math.min(BATCH, end - first) }, (_, offset) =>
      makeMutant(originals, options.seed, first + offset),
    );
    const listed = await publish(world, `batch-${first}`, mutants);
    const queue = [...mutants.entries()];
    const work = async () => {
      for (let next = queue.shift(); next && isAlive(pid); next = queue.shift()) {
        const [offset, mutant] = next;
        const id = `batch-${first}/${offset}`;
        const { name, failure } = listed.has(id) ? await askModel(url, mutant.original.ask(id)) : SKIPPED;
        count(outcomes, `${mutant.original.name}: ${name}`);
        if (failure === null) continue;
        failures.push(
          `--seed ${options.seed} --only ${first + offset} (${mutant.original.name}, ${mutant.change}): ${failure}`,
        );
        if (options.keep !== undefined)
          writeFileSync(join(options.keep, `${options.seed}-${first + offset}.gguf`), mutant.file);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    rmSync(join(world.models, `batch-${first}`), { recursive: true });
    const done = Math.min(first + BATCH, end) - options.first;
    options.progress(
      `${done} mutants after ${Math.round((performance.now() - start) / 1000)} s, ${failures.length} failures`,
    );
  }

  if (!isAlive(pid)) failures.push('the server died');
  const lines = [
    `${options.count} mutants in ${Math.round((performance.now() - start) / 1000)} s`,
    `resident memory of the server, MB: start ${memoryBefore}, end ${residentMegabytes(pid)}`,
  ];
  if (failures.length > 0) lines.push(`log: ${keepLog(world, `gguf-${options.seed}`)}`);
  return { outcomes, deaths: countDeaths(world.server.log()), failures, lines };
}

function readOriginals(models: string): Original[] {
  const chat = (model: string): Sent => ({
    path: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 4 },
  });
  return [
    { name: 'chat', file: readFileSync(join(models, 'tiny.gguf')), ask: chat },
    { name: 'pico', file: readFileSync(PICO), ask: chat },
    {
      name: 'embedding',
      file: readFileSync(join(models, 'embed', 'mini.gguf')),
      ask: (model) => ({ path: '/v1/embeddings', body: { model, input: 'hello' } }),
    },
    {
      name: 'rerank',
      file: readFileSync(join(models, 'rerank', 'mini.gguf')),
      ask: (model) => ({ path: '/v1/rerank', body: { model, query: 'hello', documents: ['world'] } }),
    },
  ];
}

/** Makes the mutant with this number. The same seed and number always make the same mutant. */
function makeMutant(originals: Original[], seed: number, index: number): Mutant & { original: Original } {
  const dice = createDice((Math.imul(seed, 1_000_003) + index) >>> 0);
  const original = dice.pick(originals);
  return { ...mutateGguf(original.file, dice), original };
}

/**
 * Moves a folder of mutants into the models folder in one step. Returns the ids of the mutants that the catalogue
 * lists.
 */
async function publish({ server, models, aside }: World, name: string, mutants: Mutant[]): Promise<Set<string>> {
  const folder = join(aside, name);
  mkdirSync(folder);
  for (const [offset, { file }] of mutants.entries()) writeFileSync(join(folder, `${offset}.gguf`), file);
  // The catalogue lists all models of a folder at once, and always lists this one.
  writeFileSync(join(folder, 'right.gguf'), readFileSync(join(models, 'embed', 'mini.gguf')));
  renameSync(folder, join(models, name));
  await waitForModel(server.url, `${name}/right`);
  const { data } = JSON.parse(await readText(await send(server.url, { path: '/v1/models' }))) as {
    data: { id: string }[];
  };
  return new Set(data.map(({ id }) => id));
}

const SKIPPED = { name: 'skipped by the catalogue', failure: null };

async function askModel(url: string, sent: Sent): Promise<{ name: string; failure: string | null }> {
  const timeout = AbortSignal.timeout(LONGEST_MS);
  try {
    const reply = await send(url, sent, timeout);
    const status = reply.statusCode ?? 0;
    const text = await readText(reply);
    if (status === 200) return { name: 'answered', failure: null };
    const refusal = toRefusal(status, text);
    const plain = status === 500 && (refusal.code === null || refusal.code === 'server_error');
    return { name: nameRefusal(refusal), failure: plain ? `a 500 without a reason: ${refusal.message}` : null };
  } catch (error) {
    if (timeout.aborted) return { name: 'hang', failure: `no end within ${LONGEST_MS / 1000} s` };
    return { name: `broken connection: ${messageOf(error)}`, failure: messageOf(error) };
  }
}

/** Reads the causes of death of the engines from the log of the server. */
function countDeaths(log: string): Map<string, number> {
  const deaths = new Map<string, number>();
  for (const [, how = ''] of log.matchAll(/"error":"EngineDied: the engine's process ([^":]+)/g)) count(deaths, how);
  return deaths;
}
