import { parseArgs } from 'node:util';
import { print, printCounts, readNumber } from '../../kit/terminal.ts';
import { fuzzMedia } from './run-media.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    main: { type: 'string', default: 'dist/programs/paddock.js' },
  },
});
const seed = readNumber('seed', values.seed, 0);
const only = values.only === undefined ? null : readNumber('only', values.only, 0);
print(`seed ${seed}`);
const { outcomes, failures, lines } = await fuzzMedia({
  seed,
  first: only ?? 0,
  count: only === null ? readNumber('count', values.count, 1) : 1,
  main: values.main,
  progress: print,
});
printCounts('files by kind and outcome', outcomes);
for (const line of lines) print(line);
for (const failure of failures.slice(0, 20)) print(`BROKEN  ${failure}`);
print(failures.length === 0 ? 'all held' : `${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
