import { parseArgs } from 'node:util';
import { createAsk } from './ask.ts';
import { readCases } from './cases.ts';
import { judge, type Outcome } from './judge.ts';

// Sends all cases to a running server and prints the wrong answers and the share of correct ones: `node evaluate.js
// [--url URL] [--model pico] [--cases FILE]`.

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:1337/v1' },
    model: { type: 'string', default: 'pico' },
    cases: { type: 'string', default: 'models/pico/cases.json' },
  },
});

function share(outcomes: Outcome[]): string {
  const right = outcomes.filter((outcome) => outcome.right).length;
  return `${right} of ${outcomes.length}, ${((100 * right) / outcomes.length).toFixed(1)}%`;
}

const ask = createAsk(options.url, options.model);
const outcomes: Outcome[] = [];
for (const one of readCases(options.cases)) outcomes.push(await judge(ask, one));

for (const { case: one, reply } of outcomes.filter(({ right }) => !right)) {
  const said = reply.tool_calls ? JSON.stringify(reply.tool_calls.map((call) => call.function)) : reply.content;
  process.stdout.write(`${one.group}: ${one.user.join(' / ')}\n    ${said}\n`);
}
for (const group of new Set(outcomes.map(({ case: one }) => one.group))) {
  process.stdout.write(`${group.padEnd(12)}${share(outcomes.filter(({ case: one }) => one.group === group))}\n`);
}
const calls = outcomes.filter(({ case: one }) => 'call' in one.expect);
if (calls.length > 0) process.stdout.write(`${'calls'.padEnd(12)}${share(calls)}\n`);
process.stdout.write(`${'all'.padEnd(12)}${share(outcomes)}\n`);
