import { choice } from './gbnf/choice.ts';
import { literal } from './gbnf/expression.ts';
import { expressionText } from './gbnf/expression-text.ts';

/** Returns the grammar of replies that are one of these texts. */
export function optionsGrammar(texts: readonly string[]): string {
  return `root ::= ${expressionText(choice(texts.map(literal)))}\n`;
}
