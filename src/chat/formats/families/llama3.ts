import { type CallReader, readBareCalls, readJsonCalls } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { takeMark } from '../reading.ts';

const PYTHON_TAG = '<|python_tag|>';

const readTagged: CallReader = function* (input) {
  yield* takeMark(input, PYTHON_TAG);
  return yield* readJsonCalls(input);
};

/**
 * Llama 3.1 to 3.3 and Llama 4. The reply consists of calls, sometimes after `<|python_tag|>`:
 *
 *     {"name": "add", "parameters": {"a": 1}}
 *
 * A call of a built-in tool is Python after that mark. It becomes content.
 */
export const llama3 = defineFormat({
  name: 'llama3',
  matches: (template) => template.includes(PYTHON_TAG) || /dictionary of argument name and its value/.test(template),
  marks: [PYTHON_TAG],
  history: { singleCalls: true },
  syntax: () => ({ calls: [{ mark: PYTHON_TAG, read: readTagged }], opening: readBareCalls }),
  writing: {
    open: '',
    separator: '; ',
    close: '',
    call: (name) => [`{"name": ${JSON.stringify(name)}, "parameters": `, '}'],
  },
});
