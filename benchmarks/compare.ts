import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Endpoint, openEndpoint } from './compare/endpoint.ts';
import { FIGURES } from './compare/figures-shown.ts';
import { findModel } from './compare/models.ts';
import { type Plan, readPlan } from './compare/options.ts';
import { plotFigure } from './compare/plot.ts';
import { sendLastTurn } from './compare/request.ts';
import {
  type Comparison,
  currentLoad,
  describeCommit,
  describeMachine,
  describeModel,
  RESULTS_FOLDER,
  type Results,
} from './compare/results.ts';
import { measureRound } from './compare/round.ts';
import { comparisonTable } from './compare/table.ts';
import type { Ask } from './compare/workloads.ts';
import { turns } from './statistics.ts';

/** Before each turn, in ms: the threads of a llama-server that has just answered spin for some 300 ms, and would take a core from the next. */
const PAUSE_MS = 1000;

/**
 * Compares Paddock with other OpenAI endpoints on the same model file, by turns, and prints a table; `--save` stores the results and
 * their plots. docs/benchmarks.md tells the options.
 */
const plan = readPlanOrExit();
// An exit ends the servers that were started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const results: Results = {
  date: new Date().toISOString().slice(0, 10),
  commit: describeCommit(),
  machine: describeMachine(),
  load: { before: currentLoad(), after: 0 },
  endpoints: plan.endpoints.map(({ name, at }) => ({ name, command: at })),
  models: [],
  comparisons: [],
};
for (const wanted of plan.models) {
  const model = findModel(wanted, plan.folder);
  results.models.push(await describeModel(model.name, model.file));
  const endpoints: Endpoint[] = [];
  try {
    for (const spec of plan.endpoints) endpoints.push(await openEndpoint(spec, model.file));
    await warmUp(endpoints);
    for (const { name, workload, streams } of workloadsFor(plan, wanted)) {
      for (const count of streams) {
        say(`${model.name}, ${name}, ${count} ${count === 1 ? 'stream' : 'streams'}`);
        try {
          const rounds = await compare(endpoints, plan.rounds, (round) => workload.asks(count, round));
          results.comparisons.push({ model: model.name, workload: name, streams: count, rounds });
        } catch (error) {
          // An endpoint may lack something, such as tools. The others are measured all the same.
          say(`left out: ${error instanceof Error ? error.message : String(error)}`);
          process.exitCode = 1;
        }
      }
    }
  } finally {
    for (const endpoint of endpoints) await endpoint[Symbol.asyncDispose]();
  }
  process.stdout.write(`\n${model.name}\n\n${comparisonTable(results, model.name)}\n\n`);
}
results.load.after = currentLoad();
if (plan.save !== null) save(plan.save, results);

/** Of the models that we make, only `quoting` can quote, and that is all it is for. A model of somebody else does everything. */
function workloadsFor({ workloads, models }: Plan, model: string) {
  if (!models.includes('quoting')) return workloads;
  return workloads.filter(({ name }) => (name === 'quote') === (model === 'quoting'));
}

/** Loads the model everywhere, and says whether all write the same text at temperature 0. */
async function warmUp(endpoints: Endpoint[]): Promise<void> {
  const ask: Ask = { afterMs: 0, turns: ['hello world'], maxTokens: 16, fields: { temperature: 0, seed: 1 } };
  const texts: string[] = [];
  for (const { target } of endpoints) texts.push((await sendLastTurn(target, ask, [])).text);
  if (new Set(texts).size > 1) say(`the endpoints write different texts: ${JSON.stringify(texts)}`);
}

async function compare(
  endpoints: Endpoint[],
  count: number,
  make: (round: number) => Ask[],
): Promise<Comparison['rounds']> {
  const rounds: Comparison['rounds'] = endpoints.map(() => []);
  for (let round = 0; round < count; round++) {
    for (const turn of turns(endpoints.length, round)) {
      const endpoint = endpoints[turn];
      if (!endpoint) continue;
      await sleep(PAUSE_MS);
      rounds[turn]?.push(await measureRound(endpoint, make(round)));
    }
  }
  return rounds;
}

function save(name: string, stored: Results): void {
  mkdirSync(RESULTS_FOLDER, { recursive: true });
  const rounded = JSON.stringify(
    stored,
    (_, value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value),
    1,
  );
  writeFileSync(join(RESULTS_FOLDER, `${name}.json`), `${rounded}\n`);
  for (const figure of FIGURES) {
    if (figure.plot !== null)
      writeFileSync(join(RESULTS_FOLDER, `${name}-${figure.plot}.svg`), plotFigure(stored, figure));
  }
  say(`stored as ${RESULTS_FOLDER}/${name}.json; npm run bench:docs writes docs/benchmarks.md`);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function readPlanOrExit(): Plan {
  try {
    return readPlan(process.argv.slice(2));
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\ndocs/benchmarks.md tells the options.`);
    return process.exit(2);
  }
}
