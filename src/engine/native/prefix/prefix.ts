import type { Token } from '../llama/llama.ts';

/** Tokens in a block: the unit in which prefixes are looked up. */
export const BLOCK = 16;

/** The beginning of a conversation, as it lies in a KV cache. */
export interface Prefix {
  /** Whose it is: prefixes of different scopes are never shared. Empty where all share. */
  readonly scope: string;
  readonly tokens: readonly Token[];
  /**
   * A number for each whole block. It stands for the scope and all tokens up to the end of the block. Two different prefixes may have
   * the same, if rarely: whoever finds one by its hashes compares the tokens.
   */
  readonly hashes: readonly number[];
}

export function prefixOf(scope: string, tokens: readonly Token[]): Prefix {
  return { scope, tokens, hashes: blockHashes(scope, tokens) };
}

/** The first tokens of a prefix. */
export function beginningOf({ scope, tokens, hashes }: Prefix, length: number): Prefix {
  return { scope, tokens: tokens.slice(0, length), hashes: hashes.slice(0, Math.floor(length / BLOCK)) };
}

/** Stands in no scope of a key. */
const ALONE = '\0';

/** The scope of a request that finds nothing in the cache but what it has evaluated itself. `request` is a number of its own. */
export function scopeAlone(scope: string, request: number): string {
  return `${scope}${ALONE}${request}`;
}

/** True for the scope of one request alone. Once that has ended, nobody asks for what lies in it. */
export function isAlone(scope: string): boolean {
  return scope.includes(ALONE);
}

/** The number of first tokens that two prefixes have in common: none, if their scopes differ. */
export function sharedLength(a: Pick<Prefix, 'scope' | 'tokens'>, b: Pick<Prefix, 'scope' | 'tokens'>): number {
  return a.scope === b.scope ? commonLength(a.tokens, b.tokens) : 0;
}

/** The number of first tokens that two lists have in common. */
export function commonLength(a: readonly Token[], b: readonly Token[]): number {
  const most = Math.min(a.length, b.length);
  for (let index = 0; index < most; index++) if (a[index] !== b[index]) return index;
  return most;
}

/** Two 32-bit hashes that run over scope and tokens, joined to one integer of 52 bits at the end of each block. */
function blockHashes(scope: string, tokens: readonly Token[]): number[] {
  let low = 0x811c9dc5;
  let high = 0x2545f491;
  const take = (value: number) => {
    low = Math.imul(low ^ value, 0x01000193);
    low ^= low >>> 15;
    high = Math.imul(high ^ (value + 0x9e3779b9), 0x85ebca6b);
    high ^= high >>> 13;
  };
  for (let index = 0; index < scope.length; index++) take(scope.charCodeAt(index));
  const hashes: number[] = [];
  for (const [index, token] of tokens.entries()) {
    take(token);
    if (index % BLOCK === BLOCK - 1) hashes.push((high & 0xfffff) * 2 ** 32 + (low >>> 0));
  }
  return hashes;
}
