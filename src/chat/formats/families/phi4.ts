import { type CallReader, readJsonCalls } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { takeClosing, takeMark } from '../reading.ts';

const OPEN = '<|tool_call|>';
const CLOSE = '<|/tool_call|>';
const FUNCTOOLS = 'functools';

const readMarked: CallReader = function* (input) {
  yield* takeMark(input, OPEN);
  const calls = yield* readJsonCalls(input);
  if (calls) yield* takeClosing(input, CLOSE);
  return calls;
};

const readFunctools: CallReader = function* (input) {
  yield* takeMark(input, FUNCTOOLS);
  return yield* readJsonCalls(input);
};

/** Phi-4-mini: `<|tool_call|>[{"name": "add", "arguments": {"a": 1}}]<|/tool_call|>`, or `functools[...]`. */
export const phi4 = defineFormat({
  name: 'phi4',
  matches: (template) => template.includes('<|tool|>') && template.includes('<|end|>'),
  marks: ['<think>', '</think>', OPEN, CLOSE],
  syntax: () => ({
    calls: [
      { mark: OPEN, read: readMarked },
      { mark: `${FUNCTOOLS}[`, read: readFunctools },
    ],
  }),
  writing: {
    open: `${OPEN}[`,
    separator: ', ',
    close: `]${CLOSE}`,
    call: (name) => [`{"name": ${JSON.stringify(name)}, "arguments": `, '}'],
  },
});
