import { type CallReader, readBareCalls, readJsonArguments, readJsonCalls } from '../calls.ts';
import { defineFormat, THINK } from '../define.ts';
import { skipSpace, takeBefore, takeMark } from '../reading.ts';

const CALLS = '[TOOL_CALLS]';
const ARGUMENTS = '[ARGS]';

const readCalls: CallReader = function* (input) {
  yield* takeMark(input, CALLS);
  yield* skipSpace(input);
  if (input.rest.startsWith('[')) return yield* readJsonCalls(input);
  // Between the name and the arguments there may be an id with its mark, the mark of the arguments, both or neither.
  const header = yield* takeBefore(input, '{');
  const json = yield* readJsonArguments(input);
  const name = header?.split('[')[0]?.trim();
  return name === undefined || json === undefined ? undefined : [{ name, arguments: json }];
};

const common = {
  marks: [CALLS, '[CALL_ID]', ARGUMENTS, '[THINK]', '[/THINK]', '<think>', '</think>'],
  history: {
    // Their templates refuse ids that don't have exactly nine letters or digits.
    callId: (_name: string, _inMessage: number, index: number) => String(index).padStart(9, '0'),
  },
  reasoning: [{ open: '[THINK]', close: '[/THINK]' }, THINK],
  syntax: () => ({ calls: [{ mark: CALLS, read: readCalls }], opening: readBareCalls }),
};

/** Mistral Small 3.2, Magistral, Devstral: `[TOOL_CALLS]add[ARGS]{"a": 1}`. Each call has the mark. */
export const mistral = defineFormat({
  ...common,
  name: 'mistral',
  matches: (template) => template.includes(CALLS) && template.includes(ARGUMENTS),
  writing: { open: '', separator: '', close: '', call: (name) => [`${CALLS}${name}${ARGUMENTS}`, ''] },
});

/** Mistral 7B 0.3 and Nemo: `[TOOL_CALLS][{"name": "add", "arguments": {"a": 1}}]`. */
export const mistralNemo = defineFormat({
  ...common,
  name: 'mistral-nemo',
  matches: (template) => template.includes(CALLS),
  writing: {
    open: `${CALLS}[`,
    separator: ', ',
    close: ']',
    call: (name) => [`{"name": ${JSON.stringify(name)}, "arguments": `, '}'],
  },
});
