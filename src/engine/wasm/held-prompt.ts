import type { Chunk } from './chunks.ts';

/** A prompt, and whose it is. */
export interface ScopedPrompt {
  scope: string | undefined;
  /** null if its tokens are not those of a text alone. */
  text: string | null;
}

/** Follows what llama-server's only slot holds, so that no prompt is taken from the cache of another scope. */
export interface HeldPrompt {
  /** True if a prompt may take its beginning from what llama-server has cached. */
  mayBeUsedFor(prompt: ScopedPrompt): boolean;
  /** Is to be told before each run: from now on the slot holds this prompt, or another one still. */
  begin(prompt: ScopedPrompt): void;
  /** Is to be told of each chunk of the run: the first one says that the slot holds its prompt. */
  note(chunk: Pick<Chunk, 'prompt_progress' | 'timings'>): void;
}

/** The slot's tokens are at least this share of the bytes of a prompt. A token has a byte or more, so it is a share of the tokens too. */
const LEAST_SHARE = 1 / 8;
/** Tokens of a reply that the slot may hold although no chunk tells of them: one that can't be told, and one that was asked for ahead. */
const MOST_UNTOLD = 2;

/**
 * llama-server also keeps earlier prompts beside its slot, whosever they are. It takes one of them that has more in common with a
 * prompt than the slot has, but only if the slot has less than a tenth of the prompt or would lose more than half of what it holds. So
 * as long as there is one scope, every prompt may use the cache; after that only one that surely stays with the slot.
 */
export function createHeldPrompt(): HeldPrompt {
  const scopes = new Set<string | undefined>();
  let running: ScopedPrompt | null = null;
  let held: (ScopedPrompt & { promptTokens: number; replyTokens: number }) | null = null;

  return {
    mayBeUsedFor({ scope, text }) {
      if (scopes.size <= 1) return scopes.size === 0 || scopes.has(scope);
      if (held === null || held.text === null || text === null || held.scope !== scope) return false;
      if (text === held.text) return true;
      const { promptTokens, replyTokens } = held;
      const bytes = new TextEncoder().encode(text).length;
      return text.startsWith(held.text) && replyTokens < promptTokens && promptTokens >= bytes * LEAST_SHARE;
    },
    begin(prompt) {
      scopes.add(prompt.scope);
      running = prompt;
      held = null;
    },
    note({ prompt_progress: progress, timings }) {
      if (progress && running) held = { ...running, promptTokens: progress.total, replyTokens: 0 };
      if (held && timings) held.replyTokens = timings.predicted_n + MOST_UNTOLD;
    },
  };
}
