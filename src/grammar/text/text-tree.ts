import { choice } from '../gbnf/choice.ts';
import { type Expression, repeat, sequence } from '../gbnf/expression.ts';
import { type Range, UNICODE } from '../gbnf/ranges.ts';
import { jsonCharacter } from './json-text.ts';

/**
 * A set of texts, as a regular expression describes it. `start` and `end` match the empty text at the ends of the whole
 * text. `look` matches the empty text where `item` follows or, if it is negative, does not follow.
 */
export type TextTree =
  | { kind: 'characters'; ranges: readonly Range[] }
  | { kind: 'sequence'; items: readonly TextTree[] }
  | { kind: 'choice'; options: readonly TextTree[] }
  | { kind: 'repeat'; item: TextTree; min: number; max: number }
  | { kind: 'start' }
  | { kind: 'end' }
  | { kind: 'look'; item: TextTree; negative: boolean };

type Spell = (ranges: readonly Range[]) => Expression;

/** Any text. */
export const anyText: TextTree = {
  kind: 'repeat',
  item: { kind: 'characters', ranges: UNICODE },
  min: 0,
  max: Number.POSITIVE_INFINITY,
};

/** Returns the least and the greatest length of the texts, in code points. */
export function lengths(tree: TextTree): [min: number, max: number] {
  switch (tree.kind) {
    case 'characters':
      return [1, 1];
    case 'sequence':
      return tree.items.map(lengths).reduce(([low, high], [min, max]) => [low + min, high + max], [0, 0]);
    case 'choice': {
      const all = tree.options.map(lengths);
      return [Math.min(...all.map(([min]) => min)), Math.max(...all.map(([, max]) => max))];
    }
    case 'repeat': {
      const [min, max] = lengths(tree.item);
      return [min * tree.min, max === 0 || tree.max === 0 ? 0 : max * tree.max];
    }
    default:
      return [0, 0];
  }
}

/**
 * Returns the expression of the texts. `spell` returns the expression of one character of the ranges; by default it is
 * written as in a JSON string. Returns undefined if the tree needs an automaton: for `start` and `end` inside the tree,
 * for `look`, and for a repetition whose item may be empty, which llama.cpp refuses.
 */
export function treeExpression(tree: TextTree, spell: Spell = jsonCharacter): Expression | undefined {
  switch (tree.kind) {
    case 'characters':
      return spell(tree.ranges);
    case 'sequence': {
      const items = allOf(tree.items, spell);
      return items && sequence(...items);
    }
    case 'choice': {
      const options = allOf(tree.options, spell);
      return options && choice(options);
    }
    case 'repeat': {
      const item = treeExpression(tree.item, spell);
      const repeatsEmpty = tree.max > 1 && lengths(tree.item)[0] === 0;
      return item && !repeatsEmpty ? repeat(item, tree.min, tree.max) : undefined;
    }
    default:
      return undefined;
  }
}

function allOf(trees: readonly TextTree[], spell: Spell): Expression[] | undefined {
  const expressions = trees.map((tree) => treeExpression(tree, spell));
  return expressions.every((expression) => expression !== undefined) ? expressions : undefined;
}

/** Returns the tree without its look-aheads: it has all texts of the tree and perhaps more. */
export function withoutLooks(tree: TextTree): TextTree {
  switch (tree.kind) {
    case 'look':
      return { kind: 'sequence', items: [] };
    case 'sequence':
      return { ...tree, items: tree.items.map(withoutLooks) };
    case 'choice':
      return { ...tree, options: tree.options.map(withoutLooks) };
    case 'repeat':
      return { ...tree, item: withoutLooks(tree.item) };
    default:
      return tree;
  }
}

/** Returns the texts of an expression, which must have no references to rules. */
export function expressionTree(expression: Expression): TextTree {
  switch (expression.kind) {
    case 'literal':
      return textTree(expression.text);
    case 'class':
      return { kind: 'characters', ranges: expression.ranges };
    case 'sequence':
      return { kind: 'sequence', items: expression.items.map(expressionTree) };
    case 'choice':
      return { kind: 'choice', options: expression.options.map(expressionTree) };
    case 'repeat':
      return { ...expression, item: expressionTree(expression.item) };
    case 'rule':
      throw new Error('an expression of texts has no rules');
  }
}

/** Returns the set of exactly this text. */
export function textTree(text: string): TextTree {
  const items = Array.from(text, (character): TextTree => {
    const codePoint = character.codePointAt(0) ?? 0;
    return { kind: 'characters', ranges: [[codePoint, codePoint]] };
  });
  return { kind: 'sequence', items };
}
