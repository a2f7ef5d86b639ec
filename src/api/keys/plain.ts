import type { ApiKey, ApiKeys } from './key.ts';

/** Says whether keys that are configured as they are have such a name. No other key may have it. */
export function isPlainName(name: string): boolean {
  return /^key-\d+$/.test(name);
}

/** Keys that are configured as they are. Each may do everything, without limits. They are named by their place: `key-1`. */
export function plainKeys(keys: readonly string[]): ApiKeys {
  const known = keys.map((text, index) => ({ text, key: unlimitedKey(`key-${index + 1}`) }));
  return {
    required: keys.length > 0,
    // Every key is compared, and each in full.
    find: (given) => known.filter(({ text }) => equalInConstantTime(text, given))[0]?.key,
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
