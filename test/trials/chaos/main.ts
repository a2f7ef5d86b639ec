import { parseArgs } from 'node:util';
import { print, printCounts, readNumber } from '../../kit/terminal.ts';
import { runChaos } from './run.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    clients: { type: 'string', default: '12' },
    questions: { type: 'string', default: '60' },
    'kill-every': { type: 'string', default: '15' },
    main: { type: 'string', default: 'dist/programs/paddock.js' },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
const seed = readNumber('seed', values.seed, 0);
print(`seed ${seed}, ${minutes} minutes`);

const report = await runChaos({
  seed,
  ms: minutes * 60_000,
  clients: readNumber('clients', values.clients, 1),
  questions: readNumber('questions', values.questions, 1),
  killEveryMs: readNumber('kill-every', values['kill-every'], 1) * 1000,
  main: values.main,
  progress: print,
});
printCounts('requests by client and outcome', report.outcomes);
printCounts('errors by status and code', report.errors);
printCounts('faults', report.faults);
for (const line of report.lines) print(line);
for (const breach of report.breaches.slice(0, 20)) print(`BROKEN  ${breach}`);
if (report.breaches.length > 20) print(`and ${report.breaches.length - 20} more`);
print(report.breaches.length === 0 ? 'all held' : `${report.breaches.length} things did not hold`);
process.exit(report.breaches.length === 0 ? 0 : 1);
