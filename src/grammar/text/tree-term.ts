import { TooComplex } from '../budget.ts';
import {
  andTerm,
  charactersTerm,
  notTerm,
  orTerm,
  repeatTerm,
  sequenceTerm,
  type TermPool,
  type TextTerm,
} from './term.ts';
import type { TextTree } from './text-tree.ts';

/** The most nodes of a tree that becomes a term. It bounds how deep terms lie in one another. */
const MOST_NODES = 2000;

/**
 * Returns the texts of a tree. Throws `TooComplex` for a large tree, and for a `start` or a `look` that no term can
 * express.
 */
export function treeTerm(pool: TermPool, tree: TextTree): TextTerm {
  if (countNodes(tree) > MOST_NODES) throw new TooComplex();
  return inFrontOf(pool, tree, pool.empty, true);
}

/**
 * Returns the texts of a tree, each followed by a text of `rest`: a look ahead sees `rest` too. `isStart` is true if
 * nothing but assertions comes before the tree.
 */
function inFrontOf(pool: TermPool, tree: TextTree, rest: TextTerm, isStart: boolean): TextTerm {
  pool.spend();
  switch (tree.kind) {
    case 'characters':
      return sequenceTerm(pool, charactersTerm(pool, tree.ranges), rest);
    case 'sequence': {
      const first = tree.items.findIndex((item) => !isAssertion(item));
      const lastAtStart = first === -1 ? tree.items.length : first;
      return tree.items.reduceRight(
        (behind, item, index) => inFrontOf(pool, item, behind, isStart && index <= lastAtStart),
        rest,
      );
    }
    case 'choice':
      return orTerm(
        pool,
        tree.options.map((option) => inFrontOf(pool, option, rest, isStart)),
      );
    case 'repeat': {
      if (isPlain(tree.item)) {
        const item = inFrontOf(pool, tree.item, pool.empty, false);
        return sequenceTerm(pool, repeatTerm(pool, item, tree.min, tree.max), rest);
      }
      if (tree.max !== 1) throw new TooComplex();
      const here = inFrontOf(pool, tree.item, rest, isStart);
      return tree.min === 0 ? orTerm(pool, [here, rest]) : here;
    }
    case 'start':
      if (!isStart) throw new TooComplex();
      return rest;
    case 'end':
      return andTerm(pool, [pool.empty, rest]);
    case 'look': {
      const ahead = inFrontOf(pool, tree.item, pool.any, isStart);
      return andTerm(pool, [tree.negative ? notTerm(pool, ahead) : ahead, rest]);
    }
  }
}

function countNodes(tree: TextTree): number {
  if (tree.kind === 'sequence') return tree.items.reduce((sum, item) => sum + countNodes(item), 1);
  if (tree.kind === 'choice') return tree.options.reduce((sum, option) => sum + countNodes(option), 1);
  return tree.kind === 'repeat' || tree.kind === 'look' ? countNodes(tree.item) + 1 : 1;
}

function isAssertion({ kind }: TextTree): boolean {
  return kind === 'start' || kind === 'end' || kind === 'look';
}

/** True if the tree says nothing about the texts around it. */
function isPlain(tree: TextTree): boolean {
  if (tree.kind === 'sequence') return tree.items.every(isPlain);
  if (tree.kind === 'choice') return tree.options.every(isPlain);
  return tree.kind === 'repeat' ? isPlain(tree.item) : !isAssertion(tree);
}
