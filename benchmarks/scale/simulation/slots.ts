import type { SimulatedRequest } from './request.ts';

/** A slot of a replica and what its KV cache holds. */
export interface CachedSlot {
  /** The conversation whose tokens the KV cache holds; null if the cache is empty. */
  conversation: number | null;
  app: number | null;
  /** Tokens in the KV cache. */
  tokens: number;
  usedAtMs: number;
}

/**
 * Chooses a free slot for a request, as src/engine/native/prefix/slot.ts does: the one that holds the conversation,
 * else the least recently used one. Returns the slot and the number of prompt tokens that it has cached. Throws if no
 * slot is given.
 */
export function chooseFreeSlot<S extends CachedSlot>(
  free: readonly S[],
  { conversation, app, systemTokens, promptTokens }: SimulatedRequest,
): { slot: S; cachedTokens: number } {
  const own = free.find((slot) => slot.conversation === conversation);
  const slot = own ?? free.reduce((oldest, other) => (other.usedAtMs < oldest.usedAtMs ? other : oldest));
  const kept = own ? slot.tokens : slot.app === app ? Math.min(systemTokens, slot.tokens) : 0;
  // The last token of a prompt is always computed.
  return { slot, cachedTokens: Math.min(kept, promptTokens - 1) };
}
