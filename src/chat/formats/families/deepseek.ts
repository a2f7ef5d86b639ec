import { type CallReader, readJsonArguments } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { skipSpace, takeBefore, takeClosing, takeMark, takeUpTo } from '../reading.ts';

const CALLS = '<｜tool▁calls▁begin｜>';
const CALLS_END = '<｜tool▁calls▁end｜>';
const CALL = '<｜tool▁call▁begin｜>';
const CALL_END = '<｜tool▁call▁end｜>';
const SEPARATOR = '<｜tool▁sep｜>';
const FENCE = '```';

/** Reads one call. The next call in the same section begins with a mark of its own. */
const readCall: CallReader = function* (input) {
  yield* takeMark(input, CALLS);
  yield* skipSpace(input);
  if (!(yield* takeMark(input, CALL))) return undefined;
  const first = yield* takeUpTo(input, SEPARATOR);
  // Before version 3.1, the name comes after the separator, and a fence surrounds the arguments.
  const second = (yield* takeBefore(input, '{'))?.split(FENCE)[0]?.trim();
  const json = yield* readJsonArguments(input);
  if (first === undefined || second === undefined || json === undefined) return undefined;
  if (second !== '') yield* takeClosing(input, FENCE);
  yield* takeClosing(input, CALL_END);
  yield* takeClosing(input, CALLS_END);
  return [{ name: second || first.trim(), arguments: json }];
};

const common = {
  marks: ['<think>', '</think>', CALLS, CALLS_END, CALL, CALL_END, SEPARATOR],
  syntax: () => ({
    calls: [
      { mark: CALLS, read: readCall },
      { mark: CALL, read: readCall },
    ],
  }),
};

/** DeepSeek V3 and R1 with its distillates: a call is `function`, the separator, the name and fenced JSON. */
export const deepseekR1 = defineFormat({
  ...common,
  name: 'deepseek-r1',
  matches: (template) => template.includes(CALLS) && template.includes(`${FENCE}json`),
  writing: {
    open: CALLS,
    separator: '\n',
    close: CALLS_END,
    call: (name) => [`${CALL}function${SEPARATOR}${name}\n${FENCE}json\n`, `\n${FENCE}${CALL_END}`],
  },
});

/** DeepSeek V3.1 and later: a call is the name, the separator and JSON. */
export const deepseek = defineFormat({
  ...common,
  name: 'deepseek',
  matches: (template) => template.includes(CALLS),
  writing: {
    open: CALLS,
    separator: '',
    close: CALLS_END,
    call: (name) => [`${CALL}${name}${SEPARATOR}`, CALL_END],
  },
});
