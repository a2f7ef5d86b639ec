import type { PromptScorer } from './draw/prompt-scores.ts';
import type { Gain, Proposal, TokenSource } from './draw/token-source.ts';
import type { LogitsPlace, Token } from './llama/tokens/token.ts';
import type { PromptMedia } from './prompt-media.ts';

/** The options of one prefill. */
export interface PrefillOptions {
  /**
   * The tokens to evaluate before the first draw: the prompt, and the tokens of the reply that a previous engine drew.
   */
  prompt: readonly Token[];
  source: Pick<TokenSource, 'opening' | 'draw'>;
  /** The number of prompt tokens that the sequence already holds. */
  cached: number;
  /** The images and recordings of the prompt, if it has any. */
  media?: PromptMedia | undefined;
  /** Collects the log probabilities of the prompt's tokens, if the request asks for them. */
  scorer?: Pick<PromptScorer, 'chunk' | 'score'> | undefined;
  /** Called after each chunk of the prompt with the number of evaluated prompt tokens. The next step waits for it. */
  onPrefill: (evaluated: number) => Promise<void>;
  /** Returns the number of evaluated tokens at which the next chunk has to end at the latest. */
  pauseAt: () => number;
}

/** The prefill of one generation, chunk by chunk. It includes the tokens with which the reply has to begin. */
export interface Prefill {
  /** The number of tokens that are still to be evaluated. */
  readonly left: number;
  /** `performance.now()` when the first token was drawn, in ms; 0 before that. */
  readonly firstTokenAt: number;
  /** Resolves when the next chunk can be evaluated; undefined if it can be now. Never rejects. */
  readonly awaited: Promise<void> | undefined;
  /**
   * Returns the next chunk of at most `count` tokens, or a piece of media that has to be evaluated in one pass. A sequence
   * holds at most `room` tokens. Throws if an image or a recording could not be encoded.
   */
  next(count: number, room: number): Proposal;
  /**
   * Notes that a chunk was evaluated. After the last chunk it draws, and resolves to what that gives; else it resolves
   * to null.
   */
  take(tokens: Token[], places: LogitsPlace[]): Promise<Gain | null>;
}

/** Makes the prefill of one generation. `take` throws if scoring or drawing fails. */
export function createPrefill(options: PrefillOptions): Prefill {
  const { prompt, source, media, scorer, onPrefill, pauseAt } = options;
  const tokens = [...prompt, ...source.opening];
  let evaluated = options.cached;
  let firstTokenAt = 0;

  return {
    get left() {
      return tokens.length - evaluated;
    },
    get firstTokenAt() {
      return firstTokenAt;
    },
    get awaited() {
      return media?.awaited(evaluated);
    },
    next(count, room) {
      const end = Math.min(evaluated + count, pauseAt(), room);
      const rows = media?.rowsAt(evaluated, end);
      if (rows) {
        const length = rows.embeddings.length / rows.width;
        return { ...nextChunk(tokens, evaluated, evaluated + length, 0), rows };
      }
      return nextChunk(tokens, evaluated, Math.min(end, media?.nextAfter(evaluated) ?? end), scorer?.chunk ?? 0);
    },
    async take(chunk, places) {
      const following = tokens[evaluated + chunk.length];
      if (scorer && following !== undefined) scorer.score(chunk, following, places);
      const gain = following === undefined ? await source.draw(places) : null;
      if (gain) firstTokenAt = performance.now();
      const isPrompt = evaluated < prompt.length;
      evaluated += chunk.length;
      if (isPrompt) await onPrefill(Math.min(evaluated, prompt.length));
      return gain;
    },
  };
}

/**
 * Returns the tokens from `from` to `end` and the places at which their logits are wanted: after the last of all
 * tokens, for the first draw, or after every token of a chunk that is scored.
 *
 * @param scored the most tokens in a chunk that is scored; 0 scores none. The last token is never scored: its logits
 *   are for the draw.
 */
export function nextChunk(tokens: readonly Token[], from: number, end: number, scored: number): Proposal {
  const last = tokens.length - 1;
  if (scored > 0 && from < last) {
    const chunk = tokens.slice(from, Math.min(end, from + scored, last));
    return { tokens: chunk, logitsAt: [...chunk.keys()] };
  }
  const chunk = tokens.slice(from, Math.min(end, tokens.length));
  return { tokens: chunk, logitsAt: from + chunk.length === tokens.length ? [chunk.length - 1] : [] };
}
