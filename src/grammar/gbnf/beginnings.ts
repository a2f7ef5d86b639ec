import type { Expression } from './expression.ts';
import { mergeRanges, type Range } from './ranges.ts';
import type { GrammarRule } from './rules.ts';

/** Makes the error for a rule. `path` is the rule's place in the schema. */
export type Fail = (path: string, reason: string) => Error;

/** The possible beginnings of an expression's texts. */
export interface Beginning {
  /** All possible first characters. Ranges may overlap. */
  ranges: readonly Range[];
  /** True if the empty text matches. */
  mayBeEmpty: boolean;
}

/** The most expressions inside one another, counted through all rules: each takes some calls of functions. */
const MAX_DEPTH = 1500;

/**
 * Returns a function that finds how an expression begins. It throws the error of `fail` for a rule that begins with
 * itself, since llama.cpp refuses left recursion, and for rules that are too deep in one another.
 */
export function createBeginnings(
  rules: ReadonlyMap<string, GrammarRule>,
  fail: Fail,
): (expression: Expression, path: string) => Beginning {
  const known = new Map<string, Beginning>();
  const inProgress = new Set<string>();
  let depth = 0;

  function ofRule(name: string, path: string): Beginning {
    const done = known.get(name);
    if (done) return done;
    const rule = rules.get(name);
    if (!rule || inProgress.has(name)) throw fail(rule?.path ?? path, 'holds itself with nothing in between');
    inProgress.add(name);
    const beginning = of(rule.body, rule.path);
    inProgress.delete(name);
    known.set(name, beginning);
    return beginning;
  }

  function of(expression: Expression, path: string): Beginning {
    if (++depth > MAX_DEPTH) throw fail(path, 'has too many rules inside one another');
    const beginning = ofExpression(expression, path);
    depth -= 1;
    return beginning;
  }

  function ofExpression(expression: Expression, path: string): Beginning {
    switch (expression.kind) {
      case 'literal': {
        const first = expression.text.codePointAt(0) ?? 0;
        return { ranges: [[first, first]], mayBeEmpty: false };
      }
      case 'class':
        return { ranges: expression.ranges, mayBeEmpty: false };
      case 'rule':
        return ofRule(expression.name, path);
      case 'sequence':
        return sequenceBeginning(expression.items, (item) => of(item, path));
      case 'choice': {
        const options = expression.options.map((option) => of(option, path));
        return {
          ranges: mergeRanges(options.flatMap(({ ranges }) => ranges)),
          mayBeEmpty: options.some(({ mayBeEmpty }) => mayBeEmpty),
        };
      }
      case 'repeat': {
        const { ranges, mayBeEmpty } = of(expression.item, path);
        if (mayBeEmpty && expression.max === Number.POSITIVE_INFINITY) throw fail(path, 'repeats an empty text');
        return { ranges, mayBeEmpty: mayBeEmpty || expression.min === 0 };
      }
    }
  }

  return of;
}

/** Collects the first characters of all items up to the first one that can't be empty. */
function sequenceBeginning(items: Iterable<Expression>, begin: (item: Expression) => Beginning): Beginning {
  const ranges: Range[] = [];
  for (const item of items) {
    const beginning = begin(item);
    ranges.push(...beginning.ranges);
    if (!beginning.mayBeEmpty) return { ranges: mergeRanges(ranges), mayBeEmpty: false };
  }
  return { ranges: mergeRanges(ranges), mayBeEmpty: true };
}
