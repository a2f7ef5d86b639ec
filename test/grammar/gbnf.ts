/**
 * The part of GBNF that our grammars use. The tests read grammars back with this parser, not with the product's code.
 */
export type Node =
  | { kind: 'text'; characters: string[] }
  | { kind: 'class'; ranges: [number, number][] }
  | { kind: 'rule'; name: string }
  | { kind: 'sequence'; nodes: Node[] }
  | { kind: 'choice'; nodes: Node[] }
  | { kind: 'repeat'; node: Node; min: number; max: number };

export type Grammar = Map<string, Node>;

/** Reads a grammar with one rule per line. Throws for a name that is defined twice or not at all. */
export function parseGrammar(text: string): Grammar {
  const grammar: Grammar = new Map();
  for (const line of text.trimEnd().split('\n')) {
    const [, name, body] = line.match(/^([0-9A-Za-z-]+) ::= (.*)$/) ?? [];
    if (name === undefined || body === undefined) throw new Error(`No rule: ${line}`);
    if (grammar.has(name)) throw new Error(`Twice: ${name}`);
    grammar.set(name, parseBody(body));
  }
  for (const [, name] of text
    .replace(/"(\\.|[^"\\])*"|\[(\\.|[^\]\\])*\]/g, '')
    .matchAll(/(?<!\{[\d,]*)\b([a-z][\w-]*)/g)) {
    if (!grammar.has(name ?? '')) throw new Error(`Not defined: ${name}`);
  }
  return grammar;
}

const TOKEN = /\s*("(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[()|*+?]|[0-9A-Za-z-]+)/uy;

function parseBody(body: string): Node {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let position = 0; position < body.length; position = TOKEN.lastIndex) {
    const token = TOKEN.exec(body)?.[1];
    if (token === undefined) throw new Error(`Not GBNF at ${position}: ${body}`);
    tokens.push(token);
  }
  let index = 0;

  function choice(): Node {
    const nodes = [sequence()];
    while (tokens[index] === '|') {
      index++;
      nodes.push(sequence());
    }
    return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: 'choice', nodes };
  }

  function sequence(): Node {
    const nodes: Node[] = [];
    for (let token = tokens[index]; token !== undefined && token !== '|' && token !== ')'; token = tokens[index]) {
      index++;
      const [min, max] = counts(token) ?? [];
      if (min !== undefined && max !== undefined) {
        const node = nodes.pop();
        if (!node) throw new Error(`Nothing to repeat: ${body}`);
        nodes.push({ kind: 'repeat', node, min, max });
      } else {
        nodes.push(atom(token));
      }
    }
    return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: 'sequence', nodes };
  }

  function atom(token: string): Node {
    if (token === '(') {
      const inner = choice();
      if (tokens[index++] !== ')') throw new Error(`Open group: ${body}`);
      return inner;
    }
    if (token.startsWith('"')) return { kind: 'text', characters: characters(token.slice(1, -1)).map(([one]) => one) };
    if (token.startsWith('[')) return { kind: 'class', ranges: ranges(token.slice(1, -1)) };
    return { kind: 'rule', name: token };
  }

  const node = choice();
  if (index < tokens.length) throw new Error(`Left over in ${body}`);
  return node;
}

function counts(token: string): [number, number] | undefined {
  if (token === '*') return [0, Number.POSITIVE_INFINITY];
  if (token === '+') return [1, Number.POSITIVE_INFINITY];
  if (token === '?') return [0, 1];
  const [, min, comma, max] = token.match(/^\{(\d+)(,?)(\d*)\}$/) ?? [];
  if (min === undefined) return undefined;
  if (!comma) return [Number(min), Number(min)];
  return [Number(min), max ? Number(max) : Number.POSITIVE_INFINITY];
}

/** Lists the characters of a literal or class, each with true if it was escaped. */
function characters(text: string): [string, boolean][] {
  const found = text.matchAll(/\\x(..)|\\u(.{4})|\\U(.{8})|\\(.)|(.)/gu);
  return Array.from(found, ([, byte, short, long, mark, plain]): [string, boolean] => {
    const hex = byte ?? short ?? long;
    if (hex !== undefined) return [String.fromCodePoint(Number.parseInt(hex, 16)), true];
    if (mark !== undefined && !'"\\'.includes(mark)) throw new Error(`Escape \\${mark}`);
    return mark === undefined ? [plain ?? '', false] : [mark, true];
  });
}

function ranges(text: string): [number, number][] {
  const all = characters(text);
  const found: [number, number][] = [];
  for (let index = 0; index < all.length; index++) {
    const from = all[index]?.[0].codePointAt(0) ?? 0;
    const isRange = all[index + 1]?.[0] === '-' && !all[index + 1]?.[1];
    const to = isRange ? (all[index + 2]?.[0].codePointAt(0) ?? 0) : from;
    if (isRange) index += 2;
    if (from > to) throw new Error(`Range in [${text}]`);
    found.push([from, to]);
  }
  return found;
}

/** Returns the rule with this name. Throws if there is none. */
export function ruleOf(grammar: Grammar, name: string): Node {
  const node = grammar.get(name);
  if (!node) throw new Error(`Not defined: ${name}`);
  return node;
}
