/** A token of C++: a text literal, a number, a name, or a mark of one character. */
export type Token =
  | { kind: 'text'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'name'; value: string }
  | { kind: 'mark'; value: string };

const COMMENT_OR_SPACE = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*)+/y;
const RAW_TEXT = /R"([^()\s]*)\(([\s\S]*?)\)\1"/y;
const TEXT = /"((?:[^"\\]|\\[\s\S])*)"/y;
const CHARACTER = /'(?:[^'\\]|\\.)+'/y;
const NUMBER = /\d[\w.]*/y;
const NAME = /[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*/y;

/** The kinds of tokens in the order in which they are tried, each with the token of a match. */
const KINDS: [pattern: RegExp, token: (found: RegExpExecArray) => Token][] = [
  [RAW_TEXT, ([, , text = '']) => ({ kind: 'text', value: text })],
  [TEXT, ([, text = '']) => ({ kind: 'text', value: unescaped(text) })],
  [CHARACTER, () => ({ kind: 'text', value: '' })],
  [NUMBER, ([number]) => ({ kind: 'number', value: Number(number) })],
  [NAME, ([name]) => ({ kind: 'name', value: name })],
  [/[\s\S]/y, ([mark]) => ({ kind: 'mark', value: mark })],
];

/** Splits C++ source into tokens, without comments and preprocessor lines. Neighbouring text literals are joined. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const next = (): Token | undefined => {
    for (const [pattern, toToken] of KINDS) {
      const found = take(pattern);
      if (found) return toToken(found);
    }
    return undefined;
  };
  for (;;) {
    take(COMMENT_OR_SPACE);
    const token = next();
    if (!token) return tokens;
    const last = tokens.at(-1);
    if (token.kind === 'text' && last?.kind === 'text') last.value += token.value;
    else tokens.push(token);
  }
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

/** Bytes that are written as `\x..` are UTF-8. */
function unescaped(text: string): string {
  return text
    .replace(/(?:\\x[\da-fA-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('\\x', ''), 'hex').toString())
    .replace(/\\u([\da-fA-F]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\\([\s\S])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}
