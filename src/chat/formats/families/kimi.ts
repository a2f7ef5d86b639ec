import { type CallReader, readJsonArguments } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { skipSpace, takeClosing, takeMark, takeUpTo } from '../reading.ts';

const SECTION = '<|tool_calls_section_begin|>';
const SECTION_END = '<|tool_calls_section_end|>';
const CALL = '<|tool_call_begin|>';
const CALL_END = '<|tool_call_end|>';
const ARGUMENTS = '<|tool_call_argument_begin|>';

/** Reads one call. The next call in the same section begins with a mark of its own. */
const readCall: CallReader = function* (input) {
  yield* takeMark(input, SECTION);
  yield* skipSpace(input);
  if (!(yield* takeMark(input, CALL))) return undefined;
  const id = yield* takeUpTo(input, ARGUMENTS);
  const json = yield* readJsonArguments(input);
  if (id === undefined || json === undefined) return undefined;
  yield* takeClosing(input, CALL_END);
  yield* takeClosing(input, SECTION_END);
  return [{ name: toName(id), arguments: json }];
};

/** Takes the name out of an id: `add` of `functions.add:0`. */
function toName(id: string): string {
  return id
    .trim()
    .replace(/^functions\./, '')
    .replace(/:\d+$/, '');
}

/** Kimi K2: a section of calls. Each call has an id, which contains the name, and the arguments as JSON. */
export const kimi = defineFormat({
  name: 'kimi',
  matches: (template) => template.includes(SECTION),
  marks: ['<think>', '</think>', SECTION, SECTION_END, CALL, CALL_END, ARGUMENTS],
  // The template makes the ids of calls itself, but takes the ids of results from the conversation. Both must agree.
  history: { callId: (name, index) => `functions.${name}:${index}` },
  syntax: () => ({
    calls: [
      { mark: SECTION, read: readCall },
      { mark: CALL, read: readCall },
    ],
  }),
  writing: {
    open: SECTION,
    separator: '',
    close: SECTION_END,
    call: (name, index) => [`${CALL}functions.${name}:${index}${ARGUMENTS}`, CALL_END],
  },
});
