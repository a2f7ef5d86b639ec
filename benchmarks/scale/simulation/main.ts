import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { print, readNumber } from '../../../test/kit/terminal.ts';
import type { ReplicaFigures } from '../replica.ts';
import { drawPlot } from './plot.ts';
import { ROUTES, type Row, runScenario, SCENARIOS, TABLE_HEAD, toLine } from './scenarios.ts';

/** Simulates a fleet of replicas from the measured figures of one. The same arguments give the same table. */
const { values } = parseArgs({
  options: {
    replicas: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '16' },
    'per-minute': { type: 'string', default: '2' },
    bound: { type: 'string', default: '200' },
    figures: { type: 'string', default: 'benchmarks/scale/replica.json' },
    plot: { type: 'string' },
  },
});
const replicas = readNumber('replicas', values.replicas, 2);
const figures = JSON.parse(readFileSync(values.figures, 'utf8')) as ReplicaFigures;
const plan = {
  replicas,
  figures,
  seed: readNumber('seed', values.seed, 0),
  conversationsPerMinute: Number(values['per-minute']),
  boundFactor: readNumber('bound', values.bound, 100) / 100,
};
if (!(plan.conversationsPerMinute > 0)) throw new Error('--per-minute must be a number above 0');

print(
  `${replicas} replicas, each as measured: ${figures.model} on ${figures.machine}; seed ${plan.seed}, ${plan.conversationsPerMinute} conversations a minute begin at each, bound ${values.bound}%`,
);
print(`\n${TABLE_HEAD}`);
const rows: Row[] = [];
for (const scenario of SCENARIOS)
  for (const route of ROUTES) {
    const row = runScenario(plan, scenario, route);
    print(toLine(row));
    rows.push(row);
  }
if (values.plot !== undefined)
  writeFileSync(values.plot, drawPlot(rows, `${replicas} replicas, simulated from the figures of one`));
