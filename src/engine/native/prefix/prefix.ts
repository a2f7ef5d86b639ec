import type { Token } from '../llama/tokens/token.ts';

/** Tokens in a block: the unit in which prefixes are looked up. */
export const BLOCK = 16;

/** The tokens of a prompt, or the first tokens of one, with the hashes by which they are looked up. */
export interface Prefix {
  /** Only requests of this scope may reuse the tokens. The empty scope is that of all requests without one. */
  readonly scope: string;
  readonly tokens: readonly Token[];
  /**
   * A hash for each whole block, over the scope and all tokens up to the end of the block. Hashes may collide, if
   * rarely: compare the tokens of whatever was found by them.
   */
  readonly hashes: readonly number[];
}

/** Makes the prefix of these tokens. It keeps the list: do not change it afterwards. */
export function createPrefix(scope: string, tokens: readonly Token[]): Prefix {
  return { scope, tokens, hashes: blockHashes(scope, tokens) };
}

/** Returns the first `length` tokens of a prefix, with their hashes. */
export function truncatePrefix({ scope, tokens, hashes }: Prefix, length: number): Prefix {
  return { scope, tokens: tokens.slice(0, length), hashes: hashes.slice(0, Math.floor(length / BLOCK)) };
}

/** A character that is in no other scope. */
const ALONE = '\0';
/** The character between a scope and the key of a set of adapters, which has no control characters. */
const ADAPTERS = '\u0001';

/**
 * Returns the scope of requests with the same LoRA adapters: keys and values that were computed with one set of adapters
 * are wrong for every other set.
 *
 * @param key the key of the set; '' without adapters
 */
export function scopeWithAdapters(scope: string, key: string): string {
  return key === '' ? scope : `${scope}${ADAPTERS}${key}`;
}

/**
 * Returns a scope for one request alone: it reuses only its own tokens. `request` is a number that no other request
 * has.
 */
export function scopeAlone(scope: string, request: number): string {
  return `${scope}${ALONE}${request}`;
}

/** True for the scope of one request alone. No later request can reuse its tokens. */
export function isAlone(scope: string): boolean {
  return scope.includes(ALONE);
}

/** Returns the number of first tokens that two prefixes have in common; 0 if their scopes differ. */
export function sharedLength(a: Pick<Prefix, 'scope' | 'tokens'>, b: Pick<Prefix, 'scope' | 'tokens'>): number {
  return a.scope === b.scope ? commonLength(a.tokens, b.tokens) : 0;
}

/** Returns the number of first tokens that two lists have in common. */
export function commonLength(a: readonly Token[], b: readonly Token[]): number {
  const most = Math.min(a.length, b.length);
  for (let index = 0; index < most; index++) if (a[index] !== b[index]) return index;
  return most;
}

/** Runs two 32-bit hashes over scope and tokens, and joins them to an integer of 52 bits at the end of each block. */
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
