import { type Expression, isNever } from './expression.ts';
import { expressionText } from './expression-text.ts';

/** A rule of the grammar. */
export interface Rule {
  body: Expression;
  /** Whether only one way through the body stays open at a time, which its expressions alone don't show. */
  exclusive: boolean;
  /** Where the schema asks for it, for messages. */
  path: string;
}

/** The rules of a grammar while it is made. */
export interface Rules {
  /**
   * The expression for what `build` gives: a reference to a rule, or what it gives itself where that is short. The
   * same key gives the same rule, also while `build` is still at work.
   */
  define(hint: string, key: string, path: string, build: () => Expression): Expression;
  /** The expression for a body that no other has; see `Rule` for `exclusive`. */
  add(hint: string, path: string, body: Expression, exclusive?: boolean): Expression;
  /** The body of a rule where it is known and the expression is a reference to one, else the expression. */
  expand(expression: Expression): Expression;
  /** The name of a rule for the expression. */
  start(expression: Expression): string;
  /** The rules that a rule needs and itself, by name, those first that are needed first. */
  reachable(from: string): Map<string, Rule>;
}

/** Starts a grammar. `tooLarge` gives the error for rules of more than `maxSize` parts, as llama.cpp holds them. */
export function createRules(prefix: string, maxSize: number, tooLarge: (path: string) => Error): Rules {
  const names = new Map<string, string>();
  const used = new Map<string, number>();
  const rules = new Map<string, Rule>();
  let size = 0;

  function uniqueName(hint: string): string {
    const count = (used.get(hint) ?? 0) + 1;
    used.set(hint, count);
    return `${prefix}${hint}${count === 1 ? '' : `-${count}`}`;
  }

  function store(name: string, path: string, body: Expression, exclusive: boolean): Expression {
    size += expressionSize(body);
    if (size > maxSize) throw tooLarge(path);
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
    expand(expression) {
      return (expression.kind === 'rule' && rules.get(expression.name)?.body) || expression;
    },
    start(expression) {
      if (expression.kind === 'rule') return expression.name;
      const name = uniqueName('json');
      store(name, '#', expression, false);
      return name;
    },
    reachable(from) {
      const found = new Map<string, Rule>();
      const waiting = [from];
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const rule = rules.get(name);
        if (!rule || found.has(name)) continue;
        found.set(name, rule);
        waiting.push(...references(rule.body));
      }
      return found;
    },
  };
}

/** The text of some rules, one to a line. */
export function rulesText(rules: ReadonlyMap<string, Rule>): string {
  return Array.from(rules, ([name, { body }]) => `${name} ::= ${expressionText(body)}\n`).join('');
}

/** Number of parts that llama.cpp holds for an expression: it writes repetitions out. */
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

/** Names of the rules that an expression needs, as often as it does. */
export function* references(expression: Expression): Generator<string> {
  if (expression.kind === 'rule') yield expression.name;
  else if (expression.kind === 'sequence') for (const item of expression.items) yield* references(item);
  else if (expression.kind === 'choice') for (const option of expression.options) yield* references(option);
  else if (expression.kind === 'repeat') yield* references(expression.item);
}
