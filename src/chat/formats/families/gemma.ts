import { asObject, type CallReader } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { takeBefore, takeMark, takeUpTo } from '../reading.ts';

const OPEN = '<|tool_call>';
const CLOSE = '<tool_call|>';
const QUOTE = '<|"|>';

const readCall: CallReader = function* (input) {
  yield* takeMark(input, OPEN);
  if (!(yield* takeMark(input, 'call:'))) return undefined;
  const name = (yield* takeBefore(input, '{'))?.trim();
  const text = yield* takeUpTo(input, CLOSE);
  const json = text === undefined ? undefined : asObject(toJson(text));
  return name === undefined || json === undefined ? undefined : [{ name, arguments: json }];
};

const TOKEN = /<\|"\|>([\s\S]*?)<\|"\|>|"(?:[^"\\]|\\.)*"|[{}[\],:]|\s+|[^{}[\],:\s"<]+|./g;
const WORD = /^[^{}[\],:\s"<]/;
const SCALAR = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** Turns Gemma's arguments into JSON. Its strings have a special mark as their quotes, and its keys have no quotes. */
function toJson(text: string): string {
  const tokens = [...text.matchAll(TOKEN)];
  return tokens
    .map(({ 0: token, 1: string, index }) => {
      if (string !== undefined) return JSON.stringify(string);
      if (token === 'None') return 'null';
      const after = text.slice(index + token.length, index + token.length + 8).trimStart();
      // A template that prints null as nothing makes the model write nothing, too.
      if (token === ':' && /^[,}]/.test(after)) return ':null';
      const isKey = after.startsWith(':');
      return WORD.test(token) && (isKey || !SCALAR.test(token)) ? JSON.stringify(token) : token;
    })
    .join('');
}

/**
 * Gemma 4: `<|tool_call>call:add{a:1,b:<|"|>x<|"|>}<tool_call|>`. Earlier models were not trained on tools.
 */
export const gemma = defineFormat({
  name: 'gemma',
  matches: (template) => template.includes('<|tool_call>call:'),
  marks: [OPEN, CLOSE, QUOTE, '<|channel>', '<channel|>', '<|tool_response>'],
  reasoning: [
    { open: '<|channel>thought', close: '<channel|>', gap: '\n' },
    // The models sometimes write the mark twice.
    { open: '<|channel><|channel>thought', close: '<channel|>', gap: '\n' },
  ],
  syntax: () => ({ calls: [{ mark: OPEN, read: readCall }], silent: ['<|tool_response>'] }),
  writing: {
    open: '',
    separator: '',
    close: '',
    call: (name) => [`${OPEN}call:${name}{`, `}${CLOSE}`],
    members: { key: '', text: ':', other: () => ':', end: () => '', separator: ',', quote: QUOTE },
  },
});
