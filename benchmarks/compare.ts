import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
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
  plotFile,
  type Results,
  resultFile,
} from './compare/results.ts';
import { measureRound } from './compare/round.ts';
import { comparisonTable } from './compare/table.ts';
import type { Ask } from './compare/workloads.ts';
import { turns } from './statistics.ts';

/**
 * The pause before each measurement, in ms: the threads of a llama-server that has just answered spin for about 300 ms,
 * and would slow down the next endpoint.
 */
const PAUSE_MS = 1000;

/**
 * Compares Paddock with other OpenAI endpoints on the same model file, in turns, and prints a table. `--save` stores
 * the results and their plots. docs/benchmarks.md lists the options.
 */
const plan = readPlanOrExit();
// Exiting ends the servers that were started.
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
          // An endpoint may lack a feature, such as tools. The other workloads are still measured.
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

/**
 * Returns the workloads for a model. Of the made models, `quoting` runs only the workload `quote`, and the others run
 * all but that one. Any other model runs all.
 */
function workloadsFor({ workloads, models }: Plan, model: string) {
  if (!models.includes('quoting')) return workloads;
  return workloads.filter(({ name }) => (name === 'quote') === (model === 'quoting'));
}

/** Loads the model on all endpoints, and reports if they write different texts at temperature 0. */
async function warmUp(endpoints: Endpoint[]): Promise<void> {
  const texts: string[] = [];
  for (const endpoint of endpoints) texts.push(await wake(endpoint));
  if (new Set(texts).size > 1) say(`the endpoints write different texts: ${JSON.stringify(texts)}`);
}

/**
 * Asks an endpoint for a short reply, which reads all weights: the system may have taken the memory of a server that was idle
 * while others were measured. Returns the reply's text.
 */
async function wake({ target }: Endpoint): Promise<string> {
  const ask: Ask = { afterMs: 0, turns: ['hello world'], maxTokens: 16, fields: { temperature: 0, seed: 1 } };
  return (await sendLastTurn(target, ask, [])).text;
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
      await wake(endpoint);
      rounds[turn]?.push(await measureRound(endpoint, make(round)));
    }
  }
  return rounds;
}

function save(name: string, stored: Results): void {
  const file = resultFile(name);
  mkdirSync(dirname(file), { recursive: true });
  const rounded = JSON.stringify(
    stored,
    (_, value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value),
    1,
  );
  writeFileSync(file, `${rounded}\n`);
  for (const figure of FIGURES) {
    if (figure.plot !== null) writeFileSync(plotFile(name, figure.plot), plotFigure(stored, figure));
  }
  say(`stored as ${file}; npm run bench:docs writes docs/benchmarks.md`);
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
