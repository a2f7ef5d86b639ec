import type { BackendName } from '../contract/engine-info.ts';
import type { ModelKind } from './engine.ts';

/** The context window of a chat model, in tokens: long enough to work with, and small enough for most machines. */
const NATIVE_CHAT_LENGTH = 8192;
/** The same on WebAssembly. It leaves room for the weights of most small models. */
const WASM_CHAT_LENGTH = 4096;
/**
 * The longest text of an embedding or ranking model, in tokens. One pass reads the whole text, and its memory grows
 * with the text.
 */
const TEXT_LENGTH = 2048;
/** The same for a model whose vector is that of the last token. It reads a text in batches, as chat models do. */
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

/** What the default context window of a model depends on. */
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

/** Windows up to this many tokens, which coding agents need, may take half of the memory that the weights leave. */
export const AGENT_LENGTH = 32_768;
export const AGENT_SHARE = 1 / 2;
/** Longer ones may take so much of it: the memory is for other programs too. */
const LONG_SHARE = 1 / 8;

/**
 * The context windows to try natively where nobody asks for one, longest first: from the trained length on, ever half of it,
 * those whose cache leaves enough memory, and then the modest ones of `contextLengths`.
 *
 * @param freeBytes memory that is left beside the weights
 * @param cacheBytes bytes of the caches of all slots with that window
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
