import type { BackendName } from '../core/runner.ts';
import type { ModelKind } from './engine.ts';

/** Context window of a chat model: long enough to work with, and it fits most machines. */
const NATIVE_CHAT_LENGTH = 8192;
/** The same on WebAssembly: it leaves room for the weights of most small models. */
const WASM_CHAT_LENGTH = 4096;
/** Longest text of a model of vectors or scores: one pass takes all of it, and memory to match. */
const TEXT_LENGTH = 2048;
/** The same of a model whose vector is that of the last token: it takes a text in batches, as a chat model does. */
const BATCHED_TEXT_LENGTH = 8192;
/** The shortest that a chat model gets unasked, however little memory there is. */
const SHORTEST_CHAT_LENGTH = 2048;

/** llama.cpp pads the context of a sequence to a multiple of this (`llama-context.cpp`, `n_ctx_seq`). */
const CONTEXT_STEP = 256;

/** The context window in tokens that llama.cpp makes of one. */
export function roundContext(length: number): number {
  return Math.ceil(length / CONTEXT_STEP) * CONTEXT_STEP;
}

/** What decides on the context window of a model for which nobody asks for another. */
export interface LengthFacts {
  backend: BackendName;
  kind: ModelKind;
  /** In tokens; 0 is unknown. */
  trained: number;
  /** Whether a model of vectors or scores takes a text in batches. */
  batched?: boolean;
}

/** The context window, or the longest text, in tokens, where nobody asks for another and memory is no question. */
export function defaultContextLength({ backend, kind, trained, batched = false }: LengthFacts): number {
  const wasm = backend === 'wasm';
  const chat = wasm ? WASM_CHAT_LENGTH : NATIVE_CHAT_LENGTH;
  const text = batched && !wasm ? BATCHED_TEXT_LENGTH : TEXT_LENGTH;
  return Math.min(kind === 'chat' ? chat : text, trained || Number.POSITIVE_INFINITY);
}

/** The context windows to try where nobody asks for one, longest first: the default, and ever half of it. */
export function contextLengths(facts: LengthFacts): number[] {
  const longest = defaultContextLength(facts);
  const lengths = [longest];
  if (facts.kind !== 'chat') return lengths;
  for (let length = longest / 2; length >= SHORTEST_CHAT_LENGTH; length /= 2) lengths.push(Math.floor(length));
  return lengths;
}
