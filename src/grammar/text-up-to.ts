import type { FormGrammar } from './form-grammar.ts';
import { choice } from './gbnf/choice.ts';
import { type Expression, literal, oneCharacterOf, sequence } from './gbnf/expression.ts';
import { type Range, UNICODE, without } from './gbnf/ranges.ts';
import { createRules, rulesText } from './gbnf/rules.ts';
import { MAX_GRAMMAR_SIZE } from './schema/limits.ts';

/**
 * Returns the grammar of the texts that end with `mark` and have it nowhere else. `prefix` begins the names of all rules.
 * Throws for a mark of thousands of characters.
 */
export function textUpTo(mark: string, prefix: string): FormGrammar {
  const rules = createRules(prefix, MAX_GRAMMAR_SIZE, () => new Error('the mark is too long for a grammar'));
  const marked = Array.from(mark);
  /** Matches the rest of a text whose end is the first `count` characters of the mark. */
  const rest = (count: number): Expression =>
    rules.define('-text', String(count), '', () => {
      const before = marked.slice(0, count);
      const onward = [...new Set(marked)]
        .map((letter) => ({ letter, next: beginningAtEnd([...before, letter], marked) }))
        .filter(({ next }) => next > 0);
      const others = without(
        UNICODE,
        onward.map(({ letter }): Range => [letter.codePointAt(0) ?? 0, letter.codePointAt(0) ?? 0]),
      );
      return choice([
        sequence(oneCharacterOf(...others), rest(0)),
        ...onward.map(({ letter, next }) =>
          next === marked.length ? literal(letter) : sequence(literal(letter), rest(next)),
        ),
      ]);
    });
  const start = rules.start(rest(0));
  return { rules: rulesText(rules.reachable(start)), rule: start };
}

/** Returns how many characters at the end of a text are the beginning of the mark. */
function beginningAtEnd(text: string[], mark: string[]): number {
  let length = Math.min(text.length, mark.length);
  while (length > 0 && mark.slice(0, length).some((letter, index) => letter !== text.at(index - length))) length--;
  return length;
}
