import { type GrammarRule, references } from './rules.ts';

/**
 * Computes a property of rules that depends on the rules to which they refer. Calls `update` with every rule. If it
 * returns true, calls it again with the rules that refer to this rule, until no call returns true.
 */
export function settle(
  rules: ReadonlyMap<string, GrammarRule>,
  update: (name: string, rule: GrammarRule) => boolean,
): void {
  const dependents = new Map<string, Set<string>>(Array.from(rules.keys(), (name) => [name, new Set()]));
  for (const [name, { body }] of rules) {
    for (const needed of references(body)) dependents.get(needed)?.add(name);
  }
  // Starts at the end: the rules there refer to few others, so that fewer calls have to be repeated.
  const waiting = new Set([...rules.keys()].reverse());
  for (const name of waiting) {
    waiting.delete(name);
    const rule = rules.get(name);
    if (!rule || !update(name, rule)) continue;
    for (const dependent of dependents.get(name) ?? []) waiting.add(dependent);
  }
}
