import { insufficientMemory } from '../../contract/errors.ts';
import type { Guesses } from '../../contract/events.ts';
import type { PromptScorer } from './draw/prompt-scores.ts';
import type { Proposal, TokenSource } from './draw/token-source.ts';
import type { AdapterSet } from './llama/adapters.ts';
import { CacheFull } from './llama/context.ts';
import type { Part } from './llama/decoder.ts';
import type { Sequence } from './llama/sequence.ts';
import type { LogitsPlace, Token } from './llama/tokens/token.ts';
import { createLostTokens } from './lost-tokens.ts';
import { createPrefill, type PrefillOptions } from './prefill.ts';
import { demandOf, toPart, withGuess } from './proposal.ts';
import { createReply } from './reply.ts';
import type { ReplyTextOptions } from './reply-text.ts';
import type { Steppable } from './step/steppable.ts';

/** The options of one choice. */
export interface GenerationOptions extends PrefillOptions, ReplyTextOptions {
  sequence: Sequence;
  source: TokenSource;
  scorer?: PromptScorer | undefined;
  adapters: AdapterSet;
  signal: AbortSignal;
}

/** The result of a generation. */
export interface GenerationOutcome {
  /** The number of tokens in the reply. */
  tokens: number;
  guesses: Guesses;
  /** `performance.now()` when the first token was drawn, in ms. */
  firstTokenAt: number;
}

/**
 * Runs one choice on one slot: the prefill in chunks, then one token or more per step until the reply ends. Calls
 * `onFinished` once; the outcome is null if the generation was cancelled or failed.
 */
export function createGeneration(
  options: GenerationOptions,
  onFinished: (outcome: GenerationOutcome | null, error?: unknown) => void,
): Steppable {
  const { sequence, prompt, source, scorer, adapters, signal, media } = options;
  const prefill = createPrefill(options);
  const reply = createReply(options);
  const lost = createLostTokens(sequence);
  const startedAt = performance.now();
  let part: Part | undefined;
  let finished = false;

  const release = (outcome: GenerationOutcome | null, error?: unknown) => {
    finished = true;
    source.close();
    onFinished(outcome, error);
  };

  /** Returns what the next forward pass evaluates; undefined if that is nothing. Throws if there is no room for it. */
  const nextProposal = (granted: number): Proposal | undefined => {
    if (lost.left > 0) return lost.next(granted);
    const { proposal } = reply;
    if (prefill.left === 0 && proposal) return withGuess(proposal, granted, sequence.room - sequence.length);
    if (granted === 0) return undefined;
    if (sequence.length >= sequence.room) throw noRoom(prompt.length, sequence.room);
    return prefill.next(granted, sequence.room);
  };

  /** Takes logits, which may end the reply. `at` is where the evaluated tokens began. */
  const takeLogits = async (tokens: Token[], at: number, places: LogitsPlace[]): Promise<void> => {
    const prefilling = prefill.left > 0;
    const gain = prefilling ? await prefill.take(tokens, places) : await source.draw(places);
    if (signal.aborted) release(null);
    else if (gain && (await reply.take(gain, prefilling ? sequence.length : at)))
      release({ tokens: reply.tokens, guesses: source.guesses, firstTokenAt: prefill.firstTokenAt });
  };

  return {
    get demand() {
      if (lost.left > 0) return { prompt: lost.left, reply: 0, since: startedAt };
      return { prompt: prefill.left, ...demandOf(reply.proposal, sequence.id), since: startedAt };
    },
    adapters,
    signal,
    get finished() {
      return finished;
    },
    get awaited() {
      return finished ? undefined : prefill.awaited;
    },
    begin(granted) {
      part = undefined;
      if (signal.aborted) {
        release(null);
        return null;
      }
      try {
        const next = nextProposal(granted);
        const { highest } = scorer && prefill.left > 0 ? scorer : source;
        if (next) part = toPart(next, sequence, highest);
      } catch (error) {
        release(null, error);
      }
      return part ?? null;
    },
    async end(places) {
      if (!part) return;
      const { tokens, at } = part;
      try {
        if (lost.left > 0) return lost.regain(tokens);
        sequence.extend(tokens);
        await takeLogits(tokens, at, places);
      } catch (error) {
        release(null, error);
      }
    },
    // Only tokens of text can be evaluated again.
    retreat: media ? undefined : lost.giveUp,
    async abandon() {
      await sequence.undo().catch(() => {});
      release(null);
    },
    async fail(error) {
      await sequence.truncate(0).catch(() => {});
      release(null, error instanceof CacheFull ? insufficientMemory(CROWDED) : error);
    },
  };
}

const CROWDED = 'Other conversations have taken the memory for this one. Try again later.';

/** Returns the error for a prompt for which the free memory has no room. */
function noRoom(promptTokens: number, room: number) {
  return insufficientMemory(`The prompt has ${promptTokens} tokens; there is free memory for ${room} of them now.`);
}
