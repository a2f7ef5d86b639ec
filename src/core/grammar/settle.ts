import { type Rule, references } from './rules.ts';

/**
 * Calls `update` on every rule, and again where it gave true for a rule that this one needs, until it gives true for
 * none.
 */
export function settle(rules: ReadonlyMap<string, Rule>, update: (name: string, rule: Rule) => boolean): void {
  const dependents = new Map<string, Set<string>>(Array.from(rules.keys(), (name) => [name, new Set()]));
  for (const [name, { body }] of rules) {
    for (const needed of references(body)) dependents.get(needed)?.add(name);
  }
  // From the end, where rules are that need few others.
  const waiting = new Set([...rules.keys()].reverse());
  for (const name of waiting) {
    waiting.delete(name);
    const rule = rules.get(name);
    if (!rule || !update(name, rule)) continue;
    for (const dependent of dependents.get(name) ?? []) waiting.add(dependent);
  }
}
