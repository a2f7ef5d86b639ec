import { type CallReader, readBareCalls, readJsonCalls } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { takeClosing, takeMark } from '../reading.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';

/** Reads `<tool_call>` with JSON in it. */
export const readToolCallBlock: CallReader = function* (input) {
  yield* takeMark(input, OPEN);
  const calls = yield* readJsonCalls(input);
  if (calls) yield* takeClosing(input, CLOSE);
  return calls;
};

/** Writes what `readToolCallBlock` reads. */
export const TOOL_CALL_BLOCK = {
  open: '',
  separator: '\n',
  close: '',
  call: (name: string): [string, string] => [`${OPEN}\n{"name": ${JSON.stringify(name)}, "arguments": `, `}\n${CLOSE}`],
};

/**
 * Hermes, Qwen 2.5, Qwen 3, QwQ, SmolLM3, Granite 4 and others:
 *
 *     <tool_call>
 *     {"name": "add", "arguments": {"a": 1}}
 *     </tool_call>
 *
 * Qwen 2.5 Coder sometimes forgets the marks, so the parser also reads a reply that consists of such JSON.
 */
export const hermes = defineFormat({
  name: 'hermes',
  matches: (template) => template.includes(OPEN),
  marks: ['<think>', '</think>', OPEN, CLOSE],
  syntax: () => ({ calls: [{ mark: OPEN, read: readToolCallBlock }], opening: readBareCalls }),
  writing: TOOL_CALL_BLOCK,
});
