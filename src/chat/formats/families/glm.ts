import type { CallReader } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { skipSpace, takeBefore, takeMark, takeUpTo } from '../reading.ts';
import { toArgumentsJson } from '../xml-arguments.ts';
import { readToolCallBlock, TOOL_CALL_BLOCK } from './hermes.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const KEY = '<arg_key>';
const KEY_END = '</arg_key>';
const VALUE = '<arg_value>';
const VALUE_END = '</arg_value>';

const readCall: CallReader = function* (input, tools) {
  yield* takeMark(input, OPEN);
  yield* skipSpace(input);
  if (/^[{[]/.test(input.rest)) return yield* readToolCallBlock(input, tools);
  // Any mark ends the name.
  const name = (yield* takeBefore(input, '<'))?.trim();
  if (name === undefined || !tools.has(name)) return undefined;
  const texts: [string, string][] = [];
  while (yield* takeMark(input, KEY)) {
    const key = yield* takeUpTo(input, KEY_END);
    yield* skipSpace(input);
    if (!(yield* takeMark(input, VALUE))) return undefined;
    const text = yield* takeUpTo(input, VALUE_END);
    if (key === undefined || text === undefined) return undefined;
    texts.push([key.trim(), text]);
    yield* skipSpace(input);
  }
  if (!(yield* takeMark(input, CLOSE))) return undefined;
  return [{ name, arguments: toArgumentsJson(texts, tools.get(name)) }];
};

/**
 * GLM 4.5 and later:
 *
 *     <tool_call>add
 *     <arg_key>a</arg_key>
 *     <arg_value>1</arg_value>
 *     </tool_call>
 *
 * Forced calls have the JSON form of `hermes`: GBNF has no simple way to say "any text up to a mark".
 */
export const glm = defineFormat({
  name: 'glm',
  matches: (template) => template.includes(KEY) && template.includes(OPEN),
  marks: ['<think>', '</think>', OPEN, CLOSE, KEY, KEY_END, VALUE, VALUE_END],
  syntax: () => ({ calls: [{ mark: OPEN, read: readCall }] }),
  writing: TOOL_CALL_BLOCK,
});
