import { type Grammar, type Node, ruleOf } from './gbnf.ts';

/** Returns a function that tells whether the rule `start` matches a text as a whole. */
export function createMatcher(grammar: Grammar, start: string): (text: string) => boolean {
  return (text) => {
    const characters = [...text];
    const known = new Map<string, Set<number>>();

    /** Returns all positions where the node may end if it begins at one of the positions `from`. */
    function ends(node: Node, from: Set<number>): Set<number> {
      switch (node.kind) {
        case 'text':
          return advance(from, node.characters.length, (position) =>
            node.characters.every((character, index) => characters[position + index] === character),
          );
        case 'class':
          return advance(from, 1, (position) => {
            const codePoint = characters[position]?.codePointAt(0) ?? -1;
            return node.ranges.some(([first, last]) => first <= codePoint && codePoint <= last);
          });
        case 'rule':
          return new Set([...from].flatMap((position) => [...ruleEnds(node.name, position)]));
        case 'sequence':
          return node.nodes.reduce((positions, part) => ends(part, positions), from);
        case 'choice':
          return new Set(node.nodes.flatMap((option) => [...ends(option, from)]));
        case 'repeat':
          return repeatEnds(node.node, node.min, node.max, from);
      }
    }

    function repeatEnds(node: Node, min: number, max: number, from: Set<number>): Set<number> {
      let positions = from;
      for (let count = 0; count < min; count++) positions = ends(node, positions);
      let found = positions;
      for (let count = min; count < max && positions.size > 0; count++) {
        positions = new Set([...ends(node, positions)].filter((position) => !found.has(position)));
        found = new Set([...found, ...positions]);
      }
      return found;
    }

    function ruleEnds(name: string, position: number): Set<number> {
      const key = `${name} ${position}`;
      const found = known.get(key) ?? ends(ruleOf(grammar, name), new Set([position]));
      known.set(key, found);
      return found;
    }

    return ruleEnds(start, 0).has(characters.length);
  };
}

function advance(from: Set<number>, length: number, fits: (position: number) => boolean): Set<number> {
  return new Set([...from].filter(fits).map((position) => position + length));
}
