import { type Rule, references } from './rules.ts';

/**
 * Computes something about rules that depends on the rules they refer to. Calls `update` on every rule; when it returns
 * true, calls it again on the rules that refer to this one. Ends when no call returns true any more.
 */
export function settle(rules: ReadonlyMap<string, Rule>, update: (name: string, rule: Rule) => boolean): void {
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
