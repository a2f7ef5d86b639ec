import type { FunctionCall } from './format.ts';

/** Matches the next token of a Python literal: a string, a word or number, or a mark. */
const TOKEN = /\s*(?:([rbuf]*)('(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*")|([\w.+-]+)|([[\](){},:]))/y;

const WORDS: Record<string, string> = {
  True: 'true',
  False: 'false',
  None: 'null',
  true: 'true',
  false: 'false',
  null: 'null',
};
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0', '\n': '' };

/** Returns the JSON text of a Python literal: a string, number, list, tuple, dictionary, or a word. Undefined for others. */
export function pythonToJson(text: string): string | undefined {
  let json = '';
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const found = TOKEN.exec(text);
    if (!found) return undefined;
    const [, prefix = '', string, word, mark] = found;
    if (string !== undefined) json += JSON.stringify(unquoted(string, prefix));
    else if (word !== undefined) json += WORDS[word] ?? word;
    else json = withMark(json, mark ?? '');
  }
  return valid(json);
}

/** Adds a mark. A tuple becomes a list, and a comma before a closing mark is left out. */
function withMark(json: string, mark: string): string {
  const closes = ')]}'.includes(mark) && json.endsWith(',');
  return (closes ? json.slice(0, -1) : json) + (mark === '(' ? '[' : mark === ')' ? ']' : mark);
}

/** Returns the text of a Python string. */
function unquoted(string: string, prefix: string): string {
  const inner = string.slice(1, -1);
  if (prefix.includes('r')) return inner;
  return inner.replace(
    /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g,
    (_, wide?: string, narrow?: string, letter = '') => {
      const code = wide ?? narrow;
      return code === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16));
    },
  );
}

function valid(json: string): string | undefined {
  try {
    JSON.parse(json);
    return json;
  } catch {
    return undefined;
  }
}

const NAME = /\s*,?\s*([\w.-]+)\(/y;
const KEY = /\s*,?\s*([A-Za-z_]\w*)\s*=\s*/y;
/** Matches a value up to the comma or bracket after it, within which brackets may nest. */
const PART = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|[^'"()[\]{},]+|[\s\S]/y;

/** Reads a list of calls as Python writes them: `[add(a=1), now()]`. Undefined if the text is anything else. */
export function readPythonCalls(text: string): FunctionCall[] | undefined {
  const list = /^\s*\[([\s\S]*)\]\s*$/.exec(text)?.[1] ?? text;
  const calls: FunctionCall[] = [];
  let at = 0;
  while (list.slice(at).trim() !== '') {
    const name = matchAt(NAME, list, at);
    const found = name && readMembers(list, at + name[0].length);
    if (!found) return undefined;
    calls.push({ name: name[1] ?? '', arguments: `{${found.members.join(', ')}}` });
    at = found.end;
  }
  return calls.length > 0 ? calls : undefined;
}

/** Reads `a=1, b=2)`. Returns the members of a JSON object, and the index after the bracket. */
function readMembers(text: string, begin: number): { members: string[]; end: number } | undefined {
  const members: string[] = [];
  let at = begin;
  for (;;) {
    const close = matchAt(/\s*,?\s*\)/y, text, at);
    if (close) return { members, end: at + close[0].length };
    const key = matchAt(KEY, text, at);
    if (!key) return undefined;
    const begun = at + key[0].length;
    const end = literalEnd(text, begun);
    const value = text.slice(begun, end).trim();
    members.push(`${JSON.stringify(key[1])}: ${pythonToJson(value) ?? JSON.stringify(value)}`);
    at = end;
  }
}

/** Returns the index of the comma or closing bracket after a literal; the length of the text if there is none. */
export function literalEnd(text: string, begin: number): number {
  let depth = 0;
  let at = begin;
  while (at < text.length) {
    const [part = ''] = matchAt(PART, text, at) ?? [];
    if (depth === 0 && (part === ',' || part === ')')) return at;
    if ('([{'.includes(part)) depth += 1;
    if (')]}'.includes(part)) depth -= 1;
    at += part.length;
  }
  return at;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
