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
} from './llama.ts';

/** A drawn token and, where asked for, how likely it and the best others were. Natural logarithms. */
export interface Drawn {
  token: Token;
  logprob?: number;
  alternatives?: { token: Token; logprob: number }[];
}

/** Draws the tokens of one reply from a slot. */
export interface TokenSource {
  /**
   * Evaluates what is new in the slot (first the rest of the prompt, then the token drawn last) and draws the next token.
   * Gives null when the model ends its turn.
   */
  next(unevaluated: Token[]): Promise<Drawn | null>;
  close(): Promise<void>;
}

/** llama.cpp's own samplers: all that most requests need, and the fastest. */
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
  vocabularySize: number;
  grammar: GrammarGate | undefined;
  /** Alternatives to tell with each token; null tells no probabilities. */
  logprobs: number | null;
  isEndOfTurn: (token: Token) => boolean;
  /** The last n tokens of prompt and reply. */
  recent: (count: number) => Token[];
}

/** Beyond these a token is too unlikely to matter to a sampler; core/sampling says what each loses by it. */
const CONSIDERED_TOKENS = 2048;

/** Our own samplers over the model's logits: for those that node-llama-cpp lacks, and for probabilities. */
export function createLogitsSource(options: LogitsSourceOptions): TokenSource {
  const { sequence, sampling, vocabularySize, grammar, logprobs, isEndOfTurn, recent } = options;
  const sampler = createSampler(sampling, vocabularySize);
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
      const all = logProbabilities(top, top.totalWeight);
      const ranked = top.tokens.map((candidate, rank) => ({ token: candidate, logprob: all[rank] ?? 0 }));
      const own = ranked.find((candidate) => candidate.token === token);
      return { token, logprob: own?.logprob ?? Number.NEGATIVE_INFINITY, alternatives: ranked.slice(0, logprobs) };
    },
    close: async () => {},
  };
}

/** As llama.cpp does it: the grammar is asked about all tokens only when the one that was drawn breaks it. */
function keepAllowed({ tokens, logits }: { tokens: Token[]; logits: number[] }, grammar: GrammarGate) {
  const kept = tokens.flatMap((token, rank) => (grammar.allows(token) ? [{ token, logit: logits[rank] ?? 0 }] : []));
  if (kept.length === 0) throw new Error('the grammar allows none of the likely tokens');
  return { tokens: kept.map(({ token }) => token), logits: kept.map(({ logit }) => logit) };
}
