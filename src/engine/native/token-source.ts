import type { Sampling } from '../../core/runner.ts';
import { logProbabilities } from '../../core/sampling/log-probabilities.ts';
import { createSampler } from '../../core/sampling/sampler.ts';
import {
  evaluateForLogits,
  type GrammarGate,
  type LlamaContextSequence,
  penaltyWindow,
  type SequenceEvaluateOptions,
  type Token,
  type TopLogits,
} from './llama.ts';

/**
 * A drawn token. If the request asks for logprobs, also the log probabilities of this token and of the best others.
 * Natural logarithms.
 */
export interface Drawn {
  token: Token;
  logprob?: number;
  alternatives?: { token: Token; logprob: number }[];
}

/** Draws the tokens of one reply on a slot. */
export interface TokenSource {
  /**
   * Evaluates the new tokens (first the rest of the prompt, later the token that was drawn last) and draws the next.
   * Returns null if the model ends its turn.
   */
  next(unevaluated: Token[]): Promise<Drawn | null>;
  close(): Promise<void>;
}

/** Draws with llama.cpp's own samplers. They are the fastest, and most requests need no others. */
export function createNativeSource(sequence: LlamaContextSequence, options: SequenceEvaluateOptions): TokenSource {
  let tokens: AsyncGenerator<Token> | undefined;
  return {
    async next(unevaluated) {
      tokens ??= sequence.evaluate(unevaluated, options);
      const { value, done } = await tokens.next();
      return done ? null : { token: value };
    },
    async close() {
      await tokens?.return(undefined);
    },
  };
}

export interface LogitsSourceOptions {
  sequence: LlamaContextSequence;
  evaluationPriority: NonNullable<SequenceEvaluateOptions['evaluationPriority']>;
  sampling: Sampling;
  /** Tokens of the reply that have been drawn before. */
  spentDraws: number;
  vocabularySize: number;
  grammar: GrammarGate | undefined;
  /** The number of alternatives to return with each token; null returns no probabilities. */
  logprobs: number | null;
  isEndOfTurn: (token: Token) => boolean;
  /** Returns the last `count` tokens of prompt and reply. */
  recent: (count: number) => Token[];
}

/**
 * Samplers only see this many of the best tokens. Others are too unlikely to matter; the modules in core/sampling tell
 * what each sampler loses by it.
 */
const CONSIDERED_TOKENS = 2048;

/**
 * Draws with Paddock's own samplers from the model's logits. They are needed for samplers that node-llama-cpp lacks,
 * and for probabilities.
 */
export function createLogitsSource(options: LogitsSourceOptions): TokenSource {
  const { sequence, sampling, vocabularySize, grammar, logprobs, isEndOfTurn, recent } = options;
  const sampler = createSampler(sampling, vocabularySize, options.spentDraws);
  const window = penaltyWindow(sampling, sequence.contextSize);
  const biased = sampling.logitBias.map(([token]) => token as Token);
  const considered = {
    count: Math.min(vocabularySize, CONSIDERED_TOKENS),
    also: biased,
    exact: logprobs !== null || biased.length > 0,
  };

  return {
    async next(unevaluated) {
      const top = await evaluateForLogits(sequence, unevaluated, considered, options.evaluationPriority);
      const draw = (candidates: { tokens: Token[]; logits: number[] }) =>
        sampler.sample(candidates, recent(window)) as Token;
      let token = draw(top);
      if (grammar && !grammar.allows(token)) token = draw(keepAllowed(top, grammar));
      if (isEndOfTurn(token)) return null;
      grammar?.accept(token);
      if (logprobs === null) return { token };
      return rank(top, token, logprobs);
    },
    close: async () => {},
  };
}

/** Tells a token's log probability and those of the most likely tokens. */
export function rank(top: TopLogits, token: Token, alternatives: number): Drawn {
  const all = logProbabilities(top, top.totalWeight);
  const ranked = top.tokens.map((candidate, place) => ({ token: candidate, logprob: all[place] ?? 0 }));
  const own = ranked.find((candidate) => candidate.token === token);
  return { token, logprob: own?.logprob ?? Number.NEGATIVE_INFINITY, alternatives: ranked.slice(0, alternatives) };
}

/**
 * Keeps the tokens that the grammar allows. As in llama.cpp, the grammar is asked about all tokens only if the drawn
 * one breaks it.
 */
function keepAllowed({ tokens, logits }: { tokens: Token[]; logits: number[] }, grammar: GrammarGate) {
  const kept = tokens.flatMap((token, rank) => (grammar.allows(token) ? [{ token, logit: logits[rank] ?? 0 }] : []));
  if (kept.length === 0) throw new Error('the grammar allows none of the likely tokens');
  return { tokens: kept.map(({ token }) => token), logits: kept.map(({ logit }) => logit) };
}
