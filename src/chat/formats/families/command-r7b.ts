import { type CallReader, readJsonCalls } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { takeClosing, takeMark } from '../reading.ts';

const OPEN = '<|START_ACTION|>';
const CLOSE = '<|END_ACTION|>';
const REASONING = { open: '<|START_THINKING|>', close: '<|END_THINKING|>' };
const ANSWER = ['<|START_RESPONSE|>', '<|END_RESPONSE|>', '<|START_TEXT|>', '<|END_TEXT|>'];

const readCalls: CallReader = function* (input) {
  yield* takeMark(input, OPEN);
  const calls = yield* readJsonCalls(input);
  if (calls) yield* takeClosing(input, CLOSE);
  return calls;
};

const common = {
  marks: [OPEN, CLOSE, REASONING.open, REASONING.close, ...ANSWER],
  reasoning: [REASONING],
  syntax: () => ({ calls: [{ mark: OPEN, read: readCalls }], silent: ANSWER }),
  writing: {
    open: `${OPEN}[\n    `,
    separator: ',\n    ',
    close: `\n]${CLOSE}`,
    call: (name: string, index: number) =>
      [`{"tool_call_id": "${index}", "tool_name": ${JSON.stringify(name)}, "parameters": `, '}'] as [string, string],
  },
};

/** Command R7B and Command A: `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "add", "parameters": {"a": 1}}]`. */
export const commandR7b = defineFormat({
  ...common,
  name: 'command-r7b',
  answerOpen: '<|START_RESPONSE|>',
  matches: (template) => template.includes(OPEN),
});

/** Cohere2 MoE writes the same calls, and marks its answers in another way. */
export const cohere2 = defineFormat({
  ...common,
  name: 'cohere2',
  answerOpen: '<|START_TEXT|>',
  matches: (template) => template.includes(OPEN) && template.includes('<|START_TEXT|>'),
});
