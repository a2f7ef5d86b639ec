import { insufficientMemory } from '../../contract/errors.ts';
import type { FinishReason, Guesses } from '../../contract/events.ts';
import type { PromptScorer } from './draw/prompt-scores.ts';
import type { Gain, Proposal, TokenSource } from './draw/token-source.ts';
import type { AdapterSet } from './llama/adapters.ts';
import { CacheFull } from './llama/context.ts';
import type { Part } from './llama/decoder.ts';
import { FILLER } from './llama/pass-order.ts';
import type { Sequence } from './llama/sequence.ts';
import type { LogitsPlace, Token } from './llama/tokens/token.ts';
import { createPrefill, type PrefillOptions } from './prefill.ts';
import { createReplyText, type ReplyTextOptions } from './reply-text.ts';
import type { Steppable } from './step/step-loop.ts';
import type { Demand } from './step/step-plan.ts';

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
  const { sequence, prompt, source, scorer, adapters, signal, maxTokens, media } = options;
  const reply = createReplyText(options);
  const prefill = createPrefill(options);
  const startedAt = performance.now();
  let proposal: Proposal | undefined;
  let part: Part | undefined;
  /** What the sequence held before it gave up its room, until it holds that again. */
  let lost: readonly Token[] = [];
  let finished = false;

  const release = (outcome: GenerationOutcome | null, error?: unknown) => {
    finished = true;
    source.close();
    onFinished(outcome, error);
  };

  const finish = (reason: FinishReason) => {
    reply.finish(reason);
    release({ tokens: reply.tokens, guesses: source.guesses, firstTokenAt: prefill.firstTokenAt });
  };

  /** Adds tokens to the reply until one ends it, and returns the reason; null if the reply goes on. */
  const addTokens = ({ tokens, ended }: Gain): FinishReason | null => {
    for (const drawn of tokens) {
      const ending = reply.add(drawn);
      if (ending) return ending;
      // The token itself needs a cell in the context before another token can follow.
      if (prompt.length + reply.added >= sequence.room) return 'length';
    }
    return ended ? 'stop' : null;
  };

  /** Adds a gain to the reply, and drops the wrong guesses from the sequence, whose first `held` tokens are right. */
  const take = async (gain: Gain, held: number): Promise<void> => {
    const ending = addTokens(gain);
    await sequence.truncate(Math.min(held + gain.kept, prompt.length + reply.added));
    if (ending) return finish(ending);
    const left = maxTokens === null ? Number.POSITIVE_INFINITY : maxTokens - reply.tokens;
    const room = sequence.room - prompt.length - reply.added;
    proposal = await source.propose(Math.min(left, room) - 1);
  };

  /** Returns what the next forward pass evaluates; undefined if that is nothing. */
  const nextProposal = (granted: number): Proposal | undefined => {
    if (lost.length > 0) return nextLost(granted);
    if (prefill.left === 0 && proposal) return withGuess(proposal, granted, sequence.room - sequence.length);
    if (granted === 0) return undefined;
    if (sequence.length < sequence.room) return prefill.next(granted, sequence.room);
    release(null, noRoom(prompt.length, sequence.room));
    return undefined;
  };

  /** Takes logits, and ends the reply or proposes its next tokens. `at` is where the evaluated tokens began. */
  const takeLogits = async (tokens: Token[], at: number, places: LogitsPlace[]): Promise<void> => {
    const prefilling = prefill.left > 0;
    const gain = prefilling ? await prefill.take(tokens, places) : await source.draw(places);
    if (signal.aborted) release(null);
    else if (gain) await take(gain, prefilling ? sequence.length : at);
  };

  const nextLost = (granted: number): Proposal | undefined => {
    const tokens = lost.slice(sequence.length, sequence.length + granted);
    return tokens.length > 0 ? { tokens, logitsAt: [] } : undefined;
  };

  /** Returns the part of the next forward pass. An image is placed from its first token on, whichever is evaluated. */
  const partOf = ({ guess: _, ...next }: Proposal): Part => {
    const at = sequence.length;
    const position = next.rows ? sequence.positionAfter(at - next.rows.offset) : sequence.positionAfter(at);
    const { highest } = scorer && prefill.left > 0 ? scorer : source;
    return { ...next, highest, sequence: sequence.id, at, ...((next.rows || position !== at) && { position }) };
  };

  return {
    get demand() {
      if (lost.length > 0) return { prompt: lost.length - sequence.length, reply: 0, since: startedAt };
      return { prompt: prefill.left, ...demandOf(proposal, sequence.id), since: startedAt };
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
        if (next) part = partOf(next);
      } catch (error) {
        release(null, error);
      }
      return part ?? null;
    },
    async end(places) {
      if (!part) return;
      const { tokens, at } = part;
      try {
        sequence.extend(tokens);
        if (lost.length === 0) await takeLogits(tokens, at, places);
        else if (sequence.length === lost.length) lost = [];
      } catch (error) {
        release(null, error);
      }
    },
    // Only tokens of text can be evaluated again.
    retreat: media
      ? undefined
      : async () => {
          if (lost.length === 0) lost = [...sequence.tokens];
          await sequence.truncate(0).catch(() => {});
        },
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

/** Returns the tokens that a reply needs in the next step, and those that it could have besides. */
function demandOf(proposal: Proposal | undefined, sequence: number): Pick<Demand, 'reply' | 'offer'> {
  const { tokens = [], guess } = proposal ?? {};
  if (!guess) return { reply: tokens.length };
  const { from, share, most } = guess;
  return { reply: from, offer: { sequence, tokens: tokens.length - from, share, most } };
}

/**
 * Returns a proposal with `added` tokens of its guess. If the guess has not so many, any tokens follow, which are dropped
 * after the pass: the reply is as wide as others, so that llama.cpp computes them at once.
 *
 * @param room the most tokens of the proposal
 */
function withGuess({ tokens, logitsAt, guess, ...others }: Proposal, added: number, room: number): Proposal {
  if (!guess) return { tokens, logitsAt, ...others };
  const taken = tokens.slice(0, guess.from + added);
  const filled = Math.max(taken.length, Math.min(guess.from + Math.min(added, guess.most), room));
  const fillers = Array.from({ length: filled - taken.length }, () => FILLER);
  return { tokens: [...taken, ...fillers], logitsAt: logitsAt.filter((index) => index < taken.length), ...others };
}

const CROWDED = 'Other conversations have taken the memory for this one. Try again later.';

/** Returns the error for a prompt for which the free memory has no room. */
function noRoom(promptTokens: number, room: number) {
  return insufficientMemory(`The prompt has ${promptTokens} tokens; there is free memory for ${room} of them now.`);
}
