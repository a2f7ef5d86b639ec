import { type CallReader, readJsonArguments, type Tools } from './calls.ts';
import { defineFormat } from './define.ts';
import { take } from './reading.ts';

const RECIPIENT = '>>>';
/** The recipient of what is no call. */
const CONTENT = 'all\n';

/** The prompt already has the first recipient's mark, so that a reply begins with the name. */
const readOpening: CallReader = function* (input, tools) {
  if (yield* take(input, CONTENT)) return [];
  for (const name of tools.keys()) {
    if (yield* take(input, `${name}\n`)) return yield* readArguments(input, name);
  }
  return undefined;
};

const readArguments = function* (input: Parameters<CallReader>[0], name: string): ReturnType<CallReader> {
  const json = yield* readJsonArguments(input);
  return json === undefined ? undefined : [{ name, arguments: json }];
};

/** A recipient's mark counts only with a recipient after it: it is the prompt of a Python shell as well. */
function callMarks(tools: Tools) {
  return [...tools.keys()].map((name) => {
    const mark = `${RECIPIENT}${name}\n`;
    const read: CallReader = function* (input) {
      yield* take(input, mark);
      return yield* readArguments(input, name);
    };
    return { mark, read };
  });
}

/**
 * Functionary 3.2, after a `>>>` that the prompt ends with:
 *
 *     all
 *     Let me add these.>>>add
 *     {"a": 1}
 */
export const functionary = defineFormat({
  name: 'functionary',
  matches: (template) => template.includes('>>>all') || template.includes(`>>>\${recipient}`),
  marks: [],
  history: { textArguments: true },
  syntax: (tools) => ({
    calls: callMarks(tools),
    opening: readOpening,
    silent: [RECIPIENT + CONTENT],
  }),
  writing: { open: '', separator: RECIPIENT, close: '', call: (name) => [`${name}\n`, ''] },
});
