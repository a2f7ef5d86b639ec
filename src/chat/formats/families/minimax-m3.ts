import type { CallReader, Tools } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { skipSpace, takeClosing, takeMark, takeUpTo } from '../reading.ts';
import { elementsToJson } from '../xml-elements.ts';

/** Stands before each tag. */
const TAG = ']<]minimax[>[';
const CALLS = `${TAG}<tool_call>`;
const CALLS_END = `${TAG}</tool_call>`;
const CALL = `${TAG}<invoke name="`;
const CALL_END = `${TAG}</invoke>`;

/** Reads one call. The next call in the same section begins with a mark of its own. */
const readCall: CallReader = function* (input, tools: Tools) {
  yield* takeMark(input, CALLS);
  yield* skipSpace(input);
  if (!(yield* takeMark(input, CALL))) return undefined;
  const name = yield* takeUpTo(input, '">');
  const text = yield* takeUpTo(input, CALL_END);
  if (name === undefined || text === undefined) return undefined;
  yield* takeClosing(input, CALLS_END);
  const json = elementsToJson(text, TAG, tools.get(name)?.parameters);
  return json === undefined ? undefined : [{ name, arguments: json }];
};

/**
 * MiniMax M3 writes the arguments of a call as elements. An object has an element for each member, an array one named
 * `item` for each item. `TAG` stands before each tag:
 *
 *     <tool_call>
 *     <invoke name="add"><a>1</a><list><item>2</item></list></invoke>
 *     </tool_call>
 *
 * Forced calls have nested values as JSON.
 */
export const minimaxM3 = defineFormat({
  name: 'minimax-m3',
  matches: (template) => template.includes(TAG),
  marks: ['<mm:think>', '</mm:think>', TAG],
  reasoning: [{ open: '<mm:think>', close: '</mm:think>' }],
  syntax: () => ({
    calls: [
      { mark: CALLS, read: readCall },
      { mark: CALL, read: readCall },
    ],
    silent: [CALLS_END],
  }),
  writing: {
    open: `${CALLS}\n`,
    separator: '\n',
    close: `\n${CALLS_END}`,
    call: (name) => [`${CALL}${name}">`, CALL_END],
    members: { key: `${TAG}<`, text: '>', other: () => '>', end: (name) => `${TAG}</${name}>`, separator: '' },
  },
});
