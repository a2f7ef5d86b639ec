import type { Tools } from '../calls.ts';
import { defineFormat } from '../define.ts';
import type { FunctionCall } from '../format.ts';
import { type Input, type Reading, skipSpace, takeClosing, takeMark, takeUpTo } from '../reading.ts';
import { toArgumentsJson } from '../xml-arguments.ts';
import { readToolCallBlock, TOOL_CALL_BLOCK } from './hermes.ts';

const BLOCK = '<tool_call>';
const BLOCK_END = '</tool_call>';
const FUNCTION = '<function=';
const FUNCTION_END = '</function>';
const PARAMETER = '<parameter=';
const PARAMETER_END = '</parameter>';

function* readCall(input: Input, tools: Tools): Reading<FunctionCall[] | undefined> {
  const inBlock = yield* takeMark(input, BLOCK);
  if (inBlock) yield* skipSpace(input);
  if (!(yield* takeMark(input, FUNCTION))) return inBlock ? yield* readToolCallBlock(input, tools) : undefined;
  const name = (yield* takeUpTo(input, '>'))?.trim();
  if (name === undefined || !tools.has(name)) return undefined;
  const texts: [string, string][] = [];
  yield* skipSpace(input);
  while (yield* takeMark(input, PARAMETER)) {
    const parameter = yield* takeUpTo(input, '>');
    const text = yield* takeUpTo(input, PARAMETER_END);
    if (parameter === undefined || text === undefined) return undefined;
    texts.push([parameter.trim(), text.replace(/^\r?\n/, '').replace(/\r?\n$/, '')]);
    yield* skipSpace(input);
  }
  if (!(yield* takeMark(input, FUNCTION_END))) return undefined;
  yield* takeClosing(input, BLOCK_END);
  return [{ name, arguments: toArgumentsJson(texts, tools.get(name)) }];
}

/**
 * Qwen 3 Coder and Qwen 3.5:
 *
 *     <tool_call>
 *     <function=add>
 *     <parameter=a>
 *     1
 *     </parameter>
 *     </function>
 *     </tool_call>
 *
 * The models sometimes forget the outer mark. Forced calls have the JSON form of `hermes`: GBNF has no simple way to
 * say "any text up to a mark".
 */
export const qwen3Coder = defineFormat({
  name: 'qwen3-coder',
  matches: (template) => template.includes(FUNCTION) && template.includes(PARAMETER),
  marks: ['<think>', '</think>', BLOCK, BLOCK_END],
  syntax: () => ({
    calls: [
      { mark: BLOCK, read: readCall },
      { mark: FUNCTION, read: readCall },
    ],
  }),
  writing: TOOL_CALL_BLOCK,
});
