import { type CallReader, readJsonArguments, type Tools } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { takeMark } from '../reading.ts';

const RECIPIENT = '>>>';
/** The recipient of plain text. */
const CONTENT = 'all\n';

/** Reads the beginning of a reply. It begins with a name, since the prompt already has the first recipient's mark. */
const readOpening: CallReader = function* (input, tools) {
  if (yield* takeMark(input, CONTENT)) return [];
  for (const name of tools.keys()) {
    if (yield* takeMark(input, `${name}\n`)) return yield* readArguments(input, name);
  }
  return undefined;
};

const readArguments = function* (input: Parameters<CallReader>[0], name: string): ReturnType<CallReader> {
  const json = yield* readJsonArguments(input);
  return json === undefined ? undefined : [{ name, arguments: json }];
};

/** A mark includes the recipient's name: `>>>` alone may also be the prompt of a Python shell. */
function callMarks(tools: Tools) {
  return [...tools.keys()].map((name) => {
    const mark = `${RECIPIENT}${name}\n`;
    const read: CallReader = function* (input) {
      yield* takeMark(input, mark);
      return yield* readArguments(input, name);
    };
    return { mark, read };
  });
}

/**
 * Functionary 3.2. The prompt ends with `>>>`, and the reply goes on:
 *
 *     all
 *     Let me add these.>>>add
 *     {"a": 1}
 */
export const functionary = defineFormat({
  name: 'functionary',
  matches: (template) => template.includes('>>>all') || template.includes(`>>>\${recipient}`),
  marks: [],
  answerOpen: CONTENT,
  history: { textArguments: true },
  syntax: (tools) => ({
    calls: callMarks(tools),
    opening: readOpening,
    silent: [RECIPIENT + CONTENT],
  }),
  writing: { open: '', separator: RECIPIENT, close: '', call: (name) => [`${name}\n`, ''] },
});
