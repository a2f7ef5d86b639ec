import type { ApiKey, ApiKeys } from './key.ts';

/** True if a name is like those that `plainKeys` gives, such as `key-1`. No other key may have such a name. */
export function isPlainName(name: string): boolean {
  return /^key-\d+$/.test(name);
}

/**
 * Returns keys that are configured as plain texts. Each may do everything, without limits. Their names count them:
 * `key-1`.
 */
export function plainKeys(keys: readonly string[]): ApiKeys {
  const known = keys.map((text, index) => ({ text, key: unlimitedKey(`key-${index + 1}`) }));
  return {
    required: keys.length > 0,
    // Every key is compared in full, so that the duration tells nothing of the keys.
    find: (given) => known.filter(({ text }) => equalInConstantTime(text, given))[0]?.key,
    named: (name) => known.find(({ key }) => key.name === name)?.key,
  };
}

function unlimitedKey(name: string): ApiKey {
  return { name, models: null, manages: true, priority: 0, limits: null };
}

function equalInConstantTime(known: string, given: string): boolean {
  let difference = known.length ^ given.length;
  for (let index = 0; index < given.length; index++) {
    difference |= given.charCodeAt(index) ^ known.charCodeAt(index % known.length);
  }
  return difference === 0;
}
