import { parseArgs } from 'node:util';
import { print, printCounts, readNumber } from '../../kit/terminal.ts';
import { fuzzGguf } from './run-gguf.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    keep: { type: 'string' },
    main: { type: 'string', default: 'dist/programs/paddock.js' },
  },
});
const seed = readNumber('seed', values.seed, 0);
const only = values.only === undefined ? null : readNumber('only', values.only, 0);
print(`seed ${seed}`);
const { outcomes, deaths, failures, lines } = await fuzzGguf({
  seed,
  first: only ?? 0,
  count: only === null ? readNumber('count', values.count, 1) : 1,
  main: values.main,
  keep: values.keep,
  progress: print,
});
printCounts('mutants by model and outcome', outcomes);
printCounts('engines that died', deaths);
for (const line of lines) print(line);
for (const failure of failures.slice(0, 20)) print(`BROKEN  ${failure}`);
print(failures.length === 0 ? 'all held' : `${failures.length} mutants did harm`);
process.exit(failures.length === 0 ? 0 : 1);
