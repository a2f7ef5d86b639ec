import type { TextTree } from '../text/text-tree.ts';

/**
 * True if the tree matches a text as a whole. Follows all ways at once, so the time is bounded by the size of the tree
 * times the square of the text's length at worst. `spend` is called for each step and may throw.
 */
export function matchesText(tree: TextTree, text: string, spend: () => void): boolean {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);

  /** Returns the positions where the tree may end if it begins at one of the positions `from`. */
  function ends(node: TextTree, from: ReadonlySet<number>): ReadonlySet<number> {
    spend();
    if (from.size === 0) return from;
    switch (node.kind) {
      case 'characters':
        return advance(node.ranges, from);
      case 'sequence':
        return node.items.reduce((positions, item) => ends(item, positions), from);
      case 'choice':
        return new Set(node.options.flatMap((option) => [...ends(option, from)]));
      case 'repeat':
        return repeated(node, from);
      case 'start':
        return new Set([...from].filter((position) => position === 0));
      case 'end':
        return new Set([...from].filter((position) => position === characters.length));
      case 'look':
        return new Set(
          [...from].filter((position) => (ends(node.item, new Set([position])).size === 0) === node.negative),
        );
    }
  }

  function advance(ranges: readonly (readonly [number, number])[], from: ReadonlySet<number>): ReadonlySet<number> {
    const next = new Set<number>();
    for (const position of from) {
      spend();
      const codePoint = characters[position] ?? -1;
      if (ranges.some(([first, last]) => first <= codePoint && codePoint <= last)) next.add(position + 1);
    }
    return next;
  }

  function repeated(node: Extract<TextTree, { kind: 'repeat' }>, from: ReadonlySet<number>): ReadonlySet<number> {
    let positions = from;
    for (let count = 0; count < node.min && positions.size > 0; count++) positions = ends(node.item, positions);
    const found = new Set(positions);
    for (let count = node.min; count < node.max && positions.size > 0; count++) {
      positions = new Set([...ends(node.item, positions)].filter((position) => !found.has(position)));
      for (const position of positions) found.add(position);
    }
    return found;
  }

  return ends(tree, new Set([0])).has(characters.length);
}
