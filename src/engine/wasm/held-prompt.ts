import { sharedStart } from '../../utils/shared-start.ts';
import type { Chunk } from './chunks.ts';

/** A prompt with its cache scope. */
export interface ScopedPrompt {
  scope: string | undefined;
  /** null if the prompt does not consist of text alone. */
  text: string | null;
}

/** Tracks the tokens in llama-server's only slot, so that no prompt reuses cached tokens of another scope. */
export interface HeldPrompt {
  /** Returns true if llama-server may use its cache for this prompt. */
  mayBeUsedFor(prompt: ScopedPrompt): boolean;
  /** Returns the characters of a text that follow the beginning which it has in common with the prompt in the slot. */
  newCharacters(text: string): number;
  /**
   * To be called before each run. From now on it is unknown if the slot holds this prompt or still the previous one.
   */
  begin(prompt: ScopedPrompt): void;
  /** To be called with each chunk of the run. The first chunk shows that the slot holds the run's prompt. */
  note(chunk: Pick<Chunk, 'prompt_progress' | 'timings'>): void;
  /** To be called with the timings of a run that does not stream: it has no other chunk. */
  noteWhole(timings: NonNullable<Chunk['timings']>): void;
}

/**
 * The least number of tokens in the slot, as a share of a prompt's bytes. A token has at least one byte, so it is at
 * least this share of the prompt's tokens, too.
 */
const LEAST_SHARE = 1 / 8;
/**
 * The most tokens of a reply in the slot without a chunk: one that is no whole character, and one of a step that was
 * requested ahead.
 */
const MOST_UNTOLD = 2;

/**
 * llama-server also keeps earlier prompts of all scopes outside its slot. It loads one of them if it has more tokens in
 * common with a prompt than the slot has; but only if the slot has less than a tenth of the prompt, or would lose more
 * than half of its tokens. So while there was only one scope, every prompt may use the cache. After that, only a prompt
 * may for which llama-server surely keeps the slot.
 */
export function createHeldPrompt(): HeldPrompt {
  const scopes = new Set<string | undefined>();
  let running: ScopedPrompt | null = null;
  let held: (ScopedPrompt & { promptTokens: number; replyTokens: number }) | null = null;

  const note: HeldPrompt['note'] = ({ prompt_progress: progress, timings }) => {
    if (progress && running) held = { ...running, promptTokens: progress.total, replyTokens: 0 };
    if (held && timings) held.replyTokens = timings.predicted_n + MOST_UNTOLD;
  };

  return {
    mayBeUsedFor({ scope, text }) {
      if (scopes.size <= 1) return scopes.size === 0 || scopes.has(scope);
      if (held === null || held.text === null || text === null || held.scope !== scope) return false;
      if (text === held.text) return true;
      const { promptTokens, replyTokens } = held;
      const bytes = new TextEncoder().encode(text).length;
      return text.startsWith(held.text) && replyTokens < promptTokens && promptTokens >= bytes * LEAST_SHARE;
    },
    newCharacters: (text) => text.length - sharedStart(text, held?.text ?? ''),
    begin(prompt) {
      scopes.add(prompt.scope);
      running = prompt;
      held = null;
    },
    note,
    noteWhole(timings) {
      const total = timings.cache_n + timings.prompt_n;
      note({
        prompt_progress: { total, cache: timings.cache_n, processed: total, time_ms: timings.prompt_ms },
        timings,
      });
    },
  };
}
