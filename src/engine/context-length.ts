import type { BackendName } from '../contract/engine-info.ts';
import type { ModelKind } from './engine.ts';

/** The context window of a chat model, in tokens: long enough to work with, and small enough for most machines. */
const NATIVE_CHAT_LENGTH = 8192;
/** The default window on WebAssembly. It leaves memory for the weights of most small models. */
const WASM_CHAT_LENGTH = 4096;
/**
 * The longest text of an embedding or ranking model, in tokens. One pass reads the whole text, and its memory grows
 * with the text.
 */
const TEXT_LENGTH = 2048;
/**
 * The longest text of a model that takes the vector of the last token. Such a model reads a text in batches, as chat
 * models do.
 */
const BATCHED_TEXT_LENGTH = 8192;
/**
 * The shortest context window of a chat model, in tokens. Automatic shortening stops here, however little memory there
 * is.
 */
const SHORTEST_CHAT_LENGTH = 2048;

/**
 * llama.cpp rounds the context of a sequence up to a multiple of this many tokens (`llama-context.cpp`, `n_ctx_seq`).
 */
const CONTEXT_STEP = 256;

/** Returns the context window that llama.cpp really makes for this length. Both are in tokens. */
export function roundContext(length: number): number {
  return Math.ceil(length / CONTEXT_STEP) * CONTEXT_STEP;
}

/** The facts that decide the default context window of a model. */
export interface LengthFacts {
  backend: BackendName;
  kind: ModelKind;
  /** The context window of the training in tokens; 0 if it is unknown. */
  trained: number;
  /** True if an embedding or ranking model reads a text in batches. */
  batched?: boolean;
}

/**
 * Returns the default context window, or the longest text of an embedding or ranking model, in tokens. Does not look at
 * the available memory.
 */
export function defaultContextLength({ backend, kind, trained, batched = false }: LengthFacts): number {
  const wasm = backend === 'wasm';
  const chat = wasm ? WASM_CHAT_LENGTH : NATIVE_CHAT_LENGTH;
  const text = batched && !wasm ? BATCHED_TEXT_LENGTH : TEXT_LENGTH;
  return Math.min(kind === 'chat' ? chat : text, trained || Number.POSITIVE_INFINITY);
}

/**
 * Lists the context windows to try if the user asks for none, the longest first: the default, then half of it, and so
 * on.
 */
export function contextLengths(facts: LengthFacts): number[] {
  const longest = defaultContextLength(facts);
  const lengths = [longest];
  if (facts.kind !== 'chat') return lengths;
  for (let length = longest / 2; length >= SHORTEST_CHAT_LENGTH; length /= 2) lengths.push(Math.floor(length));
  return lengths;
}

/** The longest window, in tokens, for which `AGENT_SHARE` applies. Coding agents need windows of this length. */
export const AGENT_LENGTH = 32_768;
/** The share of the memory beside the weights that the caches of a window up to `AGENT_LENGTH` may take. */
export const AGENT_SHARE = 1 / 2;
/** The share for the caches of longer windows. It is small because other programs need memory, too. */
const LONG_SHARE = 1 / 8;

/**
 * Returns the context windows to try natively if the configuration has none, in tokens, the longest first: the trained
 * length, half of it, and so on, as far as their caches leave enough memory; then the windows of `contextLengths`.
 *
 * @param freeBytes the memory beside the weights, in bytes
 * @param cacheBytes returns the size of the caches of all slots for a window, in bytes
 */
export function generousLengths(
  facts: LengthFacts,
  freeBytes: number,
  cacheBytes: (contextLength: number) => number,
): number[] {
  const modest = contextLengths(facts);
  if (facts.kind !== 'chat' || facts.backend === 'wasm') return modest;
  const longest = modest[0] ?? 0;
  const long: number[] = [];
  for (let length = facts.trained; length > longest; length = Math.floor(length / 2)) {
    const share = length > AGENT_LENGTH ? LONG_SHARE : AGENT_SHARE;
    if (cacheBytes(length) <= share * freeBytes) long.push(length);
  }
  return [...long, ...modest];
}
