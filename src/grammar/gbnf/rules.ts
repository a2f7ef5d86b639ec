import { type Expression, isNever } from './expression.ts';
import { expressionText } from './expression-text.ts';

export interface GrammarRule {
  body: Expression;
  /** True if at most one path through the body is open at a time. `checkOpenWays` can't detect this by itself. */
  exclusive: boolean;
  /** The place in the schema that needs the rule, as a JSON pointer. Error messages name it. */
  path: string;
}

/** Collects the rules of a grammar that is being built. */
export interface Rules {
  /**
   * Makes a rule whose body is the result of `build`, once for each key. Returns a reference to the rule, or the body
   * itself if it is short. `build` may call `define` with its own key: it gets a reference to the rule in progress.
   */
  define(hint: string, key: string, path: string, build: () => Expression): Expression;
  /**
   * Like `define`, for a body that needs no key because nothing else shares it. `exclusive` is that of `GrammarRule`.
   */
  add(hint: string, path: string, body: Expression, exclusive?: boolean): Expression;
  /** Throws the error of `tooLarge` if a body of at least `parts` parts does not fit. Call it before a large body is built. */
  requireRoom(path: string, parts: number): void;
  /** Replaces a reference to a finished rule by the rule's body. Returns any other expression unchanged. */
  expand(expression: Expression): Expression;
  /** Returns the name of a rule for the expression; adds one if the expression is not a reference. */
  start(expression: Expression): string;
  /** Returns the rule and all rules that it needs, by name, in breadth-first order. */
  reachable(from: string): Map<string, GrammarRule>;
}

/**
 * Starts a grammar whose rule names begin with `prefix`. Throws the error of `tooLarge` once the rules have more than
 * `maxSize` parts, counted by `expressionSize`.
 */
export function createRules(prefix: string, maxSize: number, tooLarge: (path: string) => Error): Rules {
  const names = new Map<string, string>();
  const used = new Map<string, number>();
  const rules = new Map<string, GrammarRule>();
  let size = 0;

  function uniqueName(hint: string): string {
    const count = (used.get(hint) ?? 0) + 1;
    used.set(hint, count);
    return `${prefix}${hint}${count === 1 ? '' : `-${count}`}`;
  }

  function requireRoom(path: string, parts: number): void {
    if (size + parts > maxSize) throw tooLarge(path);
  }

  function store(name: string, path: string, body: Expression, exclusive: boolean): Expression {
    const parts = expressionSize(body);
    requireRoom(path, parts);
    size += parts;
    rules.set(name, { body, exclusive, path });
    return reference(name);
  }

  function reference(name: string): Expression {
    const body = rules.get(name)?.body;
    return body && isShort(body) ? body : { kind: 'rule', name };
  }

  return {
    define(hint, key, path, build) {
      const known = names.get(key);
      if (known !== undefined) return reference(known);
      const name = uniqueName(hint);
      names.set(key, name);
      return store(name, path, build(), false);
    },
    add(hint, path, body, exclusive = false) {
      return isShort(body) ? body : store(uniqueName(hint), path, body, exclusive);
    },
    requireRoom,
    expand(expression) {
      return (expression.kind === 'rule' && rules.get(expression.name)?.body) || expression;
    },
    start(expression) {
      if (expression.kind === 'rule') return expression.name;
      const name = uniqueName('json');
      store(name, '#', expression, false);
      return name;
    },
    reachable: (from) => reachableRules(rules, from),
  };
}

/** Returns the rule and all rules that it needs, by name, in breadth-first order. */
export function reachableRules(rules: ReadonlyMap<string, GrammarRule>, from: string): Map<string, GrammarRule> {
  const found = new Map<string, GrammarRule>();
  const waiting = new Set([from]);
  for (const name of waiting) {
    const rule = rules.get(name);
    if (!rule) continue;
    found.set(name, rule);
    for (const needed of references(rule.body)) waiting.add(needed);
  }
  return found;
}

/** Writes the rules in GBNF, one per line. */
export function rulesText(rules: ReadonlyMap<string, GrammarRule>): string {
  return Array.from(rules, ([name, { body }]) => `${name} ::= ${expressionText(body)}\n`).join('');
}

/**
 * Returns the number of elements that llama.cpp stores for an expression. It stores a repeated item once per
 * repetition.
 */
export function expressionSize(expression: Expression): number {
  switch (expression.kind) {
    case 'literal':
      return expression.text.length;
    case 'class':
      return expression.ranges.length;
    case 'rule':
      return 1;
    case 'sequence':
      return expression.items.reduce((sum, item) => sum + expressionSize(item), 0);
    case 'choice':
      return expression.options.reduce((sum, option) => sum + expressionSize(option) + 1, 0);
    case 'repeat': {
      const { item, min, max } = expression;
      return expressionSize(item) * (Number.isFinite(max) ? max : min + 1);
    }
  }
}

function isShort(body: Expression): boolean {
  if (body.kind === 'literal') return body.text.length <= 40;
  return body.kind === 'rule' || body.kind === 'class' || isNever(body);
}

/** Names of the rules that an expression refers to. A name comes once per reference. */
export function* references(expression: Expression): Generator<string> {
  if (expression.kind === 'rule') yield expression.name;
  else if (expression.kind === 'sequence') for (const item of expression.items) yield* references(item);
  else if (expression.kind === 'choice') for (const option of expression.options) yield* references(option);
  else if (expression.kind === 'repeat') yield* references(expression.item);
}
