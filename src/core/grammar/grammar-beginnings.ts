import { type Expression, mergeRanges, type Range } from './expression.ts';
import type { Rule } from './rules.ts';

/** Makes the error for a rule that came from this path in the schema. */
export type Fail = (path: string, reason: string) => Error;

/** What an expression may begin with, and whether it may be empty. */
export interface Beginning {
  ranges: readonly Range[];
  mayBeEmpty: boolean;
}

/** Gives what expressions begin with. Throws for a rule that begins with itself, which llama.cpp doesn't take. */
export function createBeginnings(
  rules: ReadonlyMap<string, Rule>,
  fail: Fail,
): (expression: Expression, path: string) => Beginning {
  const known = new Map<string, Beginning>();
  const inProgress = new Set<string>();

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
        return { ranges, mayBeEmpty: mayBeEmpty || expression.min === 0 };
      }
    }
  }

  return of;
}

/** What items in a row begin with: all up to the first that can't be empty. */
function sequenceBeginning(items: Iterable<Expression>, begin: (item: Expression) => Beginning): Beginning {
  const ranges: Range[] = [];
  for (const item of items) {
    const beginning = begin(item);
    ranges.push(...beginning.ranges);
    if (!beginning.mayBeEmpty) return { ranges, mayBeEmpty: false };
  }
  return { ranges, mayBeEmpty: true };
}
