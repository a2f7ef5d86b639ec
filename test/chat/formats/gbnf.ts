/** Writes a text of a grammar. Knows the part of GBNF that `toolGrammar` uses. `choose(n)` picks one of n ways. */
export function derive(grammar: string, choose: (ways: number) => number): string {
  const rules = new Map(
    grammar
      .trim()
      .split('\n')
      .map((line) => line.split(' ::= ') as [string, string]),
  );
  const rule = (name: string): string => {
    const body = rules.get(name);
    if (body === undefined) throw new Error(`no rule ${name} in:\n${grammar}`);
    const tokens = body.match(/"(?:[^"\\]|\\.)*"|[()|]|\{\d+,\d+\}|\?|[\w-]+/g) ?? [];
    if (tokens.join('').replaceAll(' ', '') !== body.replaceAll(' ', '')) throw new Error(`unknown syntax: ${body}`);
    return alternatives(tokens, rule, choose);
  };
  return rule('root');
}

function alternatives(tokens: string[], rule: (name: string) => string, choose: (ways: number) => number): string {
  const ways: (() => string)[][] = [[]];
  while (tokens.length > 0 && tokens[0] !== ')') {
    const token = tokens.shift() ?? '';
    if (token === '|') ways.push([]);
    else ways.at(-1)?.push(item(token, tokens, rule, choose));
  }
  const way = ways[choose(ways.length)] ?? [];
  return way.map((part) => part()).join('');
}

function item(token: string, tokens: string[], rule: (name: string) => string, choose: (ways: number) => number) {
  if (token.startsWith('"')) return () => JSON.parse(token) as string;
  if (token !== '(') return () => rule(token);
  const begin = [...tokens];
  alternatives(
    tokens,
    () => '',
    () => 0,
  );
  tokens.shift();
  const group = begin.slice(0, begin.length - tokens.length);
  const [most = 1] = /\d+(?=\})/.exec(tokens.shift() ?? '')?.map(Number) ?? [];
  return () => {
    const times = choose(most + 1);
    return Array.from({ length: times }, () => alternatives([...group], rule, choose)).join('');
  };
}
