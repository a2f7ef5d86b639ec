import type { Random } from '../kit/random.ts';
import { type Grammar, type Node, ruleOf } from './gbnf.ts';

/**
 * Returns a function that writes random texts of the rule `start`. Beyond `maxDepth` rules it takes the shortest way to
 * an end.
 */
export function createWriter(grammar: Grammar, start: string, maxDepth = 12): (random: Random) => string {
  const depths = shortestDepths(grammar);
  const depthOf = (node: Node) => shortestDepth(node, depths);

  function write(node: Node, random: Random, depth: number): string {
    switch (node.kind) {
      case 'text':
        return node.characters.join('');
      case 'class':
        return randomCharacter(node.ranges, random);
      case 'rule':
        return write(ruleOf(grammar, node.name), random, depth + 1);
      case 'sequence':
        return node.nodes.map((part) => write(part, random, depth)).join('');
      case 'choice': {
        const least = Math.min(...node.nodes.map(depthOf));
        const options = depth < maxDepth ? node.nodes : node.nodes.filter((option) => depthOf(option) === least);
        return write(pick(options, random), random, depth);
      }
      case 'repeat': {
        const { min, max } = node;
        const most = random() % 10 === 0 ? Math.min(max, min + 300) : Math.min(max, min + 3);
        const isDeep = depth >= maxDepth || (most > min + 3 && depthOf(node.node) > 1);
        const count = isDeep ? min : min + (random() % (most - min + 1));
        return Array.from({ length: count }, () => write(node.node, random, depth)).join('');
      }
    }
  }

  return (random) => write({ kind: 'rule', name: start }, random, 0);
}

function pick<T>(options: T[], random: Random): T {
  const option = options[random() % options.length];
  if (option === undefined) throw new Error('A choice of nothing');
  return option;
}

/** Picks the edges of a range often, since mistakes happen there. */
function randomCharacter(ranges: [number, number][], random: Random): string {
  const [from, to] = pick(ranges, random);
  const choice = random() % 10;
  if (choice === 0) return String.fromCodePoint(from);
  if (choice === 1) return String.fromCodePoint(to);
  return String.fromCodePoint(from + (random() % (to - from + 1)));
}

function shortestDepths(grammar: Grammar): Map<string, number> {
  const depths = new Map<string, number>();
  for (let changed = true; changed; ) {
    changed = false;
    for (const [name, node] of grammar) {
      const depth = 1 + shortestDepth(node, depths);
      if (depth < (depths.get(name) ?? Number.POSITIVE_INFINITY)) {
        depths.set(name, depth);
        changed = true;
      }
    }
  }
  return depths;
}

function shortestDepth(node: Node, depths: Map<string, number>): number {
  switch (node.kind) {
    case 'rule':
      return depths.get(node.name) ?? Number.POSITIVE_INFINITY;
    case 'sequence':
      return Math.max(0, ...node.nodes.map((part) => shortestDepth(part, depths)));
    case 'choice':
      return Math.min(...node.nodes.map((part) => shortestDepth(part, depths)));
    case 'repeat':
      return node.min === 0 ? 0 : shortestDepth(node.node, depths);
    default:
      return 0;
  }
}
