import { type CallReader, readJsonCalls } from '../calls.ts';
import { defineFormat, THINK } from '../define.ts';
import { takeMark } from '../reading.ts';
import { readToolCallBlock } from './hermes.ts';

const OPEN = '<|tool_call|>';

const readMarked: CallReader = function* (input) {
  yield* takeMark(input, OPEN);
  return yield* readJsonCalls(input);
};

/**
 * Granite 3: `<|tool_call|>[{"name": "add", "arguments": {"a": 1}}]`. The mark sometimes comes without its bars. After
 * reasoning, the answer has marks as well. Granite 4 writes `hermes`.
 */
export const granite = defineFormat({
  name: 'granite',
  matches: (template) => template.includes('<|start_of_role|>') && template.includes(OPEN),
  marks: [OPEN, '<tool_call>', '</tool_call>', '<think>', '</think>', '<response>', '</response>'],
  reasoning: [{ ...THINK, answer: { open: '<response>', close: '</response>' } }],
  syntax: () => ({
    calls: [
      { mark: OPEN, read: readMarked },
      { mark: '<tool_call>', read: readToolCallBlock },
    ],
  }),
  writing: {
    open: `${OPEN}[`,
    separator: ', ',
    close: ']',
    call: (name) => [`{"name": ${JSON.stringify(name)}, "arguments": `, '}'],
  },
});
