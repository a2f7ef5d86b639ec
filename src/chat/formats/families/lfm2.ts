import type { CallReader } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { readPythonCalls } from '../python-literal.ts';
import { takeMark, takeUpTo } from '../reading.ts';

const OPEN = '<|tool_call_start|>';
const CLOSE = '<|tool_call_end|>';

const readCalls: CallReader = function* (input) {
  yield* takeMark(input, OPEN);
  const text = yield* takeUpTo(input, CLOSE);
  return text === undefined ? undefined : readPythonCalls(text);
};

/**
 * LFM2 and LFM2.5: `<|tool_call_start|>[add(a=1, b='x')]<|tool_call_end|>`. Most of their templates show the tools, but
 * write no calls. Forced calls have JSON values, which the models also write.
 */
export const lfm2 = defineFormat({
  name: 'lfm2',
  matches: (template) => template.includes(OPEN) || /List of tools: (?:<\|tool_list_start\|>)?\[/.test(template),
  marks: ['<think>', '</think>', OPEN, CLOSE],
  syntax: () => ({ calls: [{ mark: OPEN, read: readCalls }] }),
  writing: {
    open: `${OPEN}[`,
    separator: ', ',
    close: `]${CLOSE}`,
    call: (name) => [`${name}(`, ')'],
    members: { key: '', text: '=', other: () => '=', end: () => '', separator: ', ', isQuoted: true },
  },
});
