import { noNumbers } from '../../../contract/errors.ts';
import type { Sampling } from '../../../contract/sampling.ts';
import type { Breakers } from '../../../sampling/breakers.ts';
import { dryWindow } from '../../../sampling/dry.ts';
import { logProbabilities } from '../../../sampling/log-probabilities.ts';
import { penaltyWindow } from '../../../sampling/penalties.ts';
import { createSampler, isGreedy } from '../../../sampling/sampler.ts';
import type { NativeCandidates } from '../llama/candidates.ts';
import type { GrammarGate } from '../llama/grammar.ts';
import type { SamplerChain } from '../llama/sampler-chain.ts';
import type { LogitsPlace, Token } from '../llama/tokens/token.ts';
import {
  type LogitsSource,
  readAllowed,
  readTokens,
  readWeight,
  type TopLogits,
  type WholeLogits,
} from './read-logits.ts';

/**
 * A drawn token. If the request asks for logprobs, it has the log probabilities of this token and of the most likely
 * tokens, as natural logarithms.
 */
export interface Drawn {
  token: Token;
  logprob?: number;
  alternatives?: { token: Token; logprob: number }[];
}

/** Draws the tokens of one reply, one after the other. */
export interface TokenDrawer {
  /** The number of highest logits that a draw looks at; 0 if it reads all logits. */
  readonly highest: number;
  /**
   * Draws from the logits at this place, and adds the token to the history. Resolves to null if the model ends its
   * turn. Throws a 500 `ApiError` if the logits are no numbers, and a plain error if no token can follow.
   */
  draw(place: LogitsPlace): Promise<Drawn | null>;
  /**
   * Adds a token to the history without a draw, because the grammar allows no other. Returns false, and adds nothing,
   * if llama.cpp's grammar does not allow it.
   */
  force(token: Token): boolean;
  /** Frees llama.cpp's samplers and grammar. No draw may be under way. */
  close(): void;
}

/** The options that all drawers share. */
export interface DrawerContext {
  sampling: Sampling;
  contextLength: number;
  source: LogitsSource;
  /** The tokens of prompt and reply. A drawer adds the tokens that it draws. */
  history: Token[];
  isEndOfTurn: (token: Token) => boolean;
  grammar: GrammarGate | undefined;
  /** Makes room for the logits of the whole vocabulary. Called once at most. */
  makeCandidates: () => NativeCandidates;
  /** Returns the tokens that the grammar may allow next; null if most are possible. */
  possible: () => Promise<Int32Array | null>;
}

/**
 * The most tokens that Paddock's samplers see. All others are too unlikely to matter; `src/sampling` describes the
 * difference.
 */
const MOST_CONSIDERED = 2048;

/**
 * Returns the number of highest logits with which Paddock's samplers draw exactly as with all logits; null if that
 * number is unknown or above `MOST_CONSIDERED`. Penalties, DRY and biases may lower as many of the highest logits as
 * they name tokens: so many more are read. Top-n-sigma needs all logits.
 */
export function consideredTokens(sampling: Sampling, contextLength: number): number | null {
  const { topK, topNSigma, mirostat } = sampling;
  const greedy = isGreedy(sampling);
  if (mirostat !== 0 || (!greedy && (topK <= 0 || topNSigma > 0))) return null;
  const lowered = penaltyWindow(sampling, contextLength) + dryWindow(sampling, contextLength);
  const count = (greedy ? 1 : topK) + lowered + sampling.logitBias.length;
  return count <= MOST_CONSIDERED ? count : null;
}

/** Returns the number of latest tokens that the samplers look at. */
export function lookedBackOn(sampling: Sampling, contextLength: number): number {
  return Math.max(penaltyWindow(sampling, contextLength), dryWindow(sampling, contextLength));
}

/** The options of a drawer with Paddock's own samplers. */
export interface LogitsDrawerOptions extends DrawerContext {
  /** The number of tokens of the reply that a previous engine drew. */
  spentDraws: number;
  vocabularySize: number;
  /** The number of alternatives to return with each token; null returns no probabilities. */
  logprobs: number | null;
  /** The breakers of DRY; undefined for none. */
  breakers: Breakers | undefined;
}

/** Draws from the highest logits with Paddock's own samplers, which draw the same tokens as llama.cpp's. */
export function createLogitsDrawer(options: LogitsDrawerOptions): TokenDrawer {
  const { source, sampling, vocabularySize, grammar, logprobs, history, isEndOfTurn, contextLength } = options;
  const sampler = createSampler(sampling, vocabularySize, options.spentDraws, options.breakers);
  const window = lookedBackOn(sampling, contextLength);
  const considered = consideredTokens(sampling, contextLength) ?? MOST_CONSIDERED;
  const count = Math.min(vocabularySize, Math.max(considered, logprobs ?? 0));
  const biased = sampling.logitBias.map(([token]) => token);
  let candidates: NativeCandidates | undefined;
  const rewards = sampling.repeatPenalty < 1 || sampling.presencePenalty < 0 || sampling.frequencyPenalty < 0;

  /** Returns the highest logits that the grammar allows, and those of `others` that it allows. */
  const readGrammar = async (gate: GrammarGate, place: LogitsPlace, others: TopLogits | undefined) => {
    candidates ??= options.makeCandidates();
    const allowed = await readAllowed(source, place, count, gate, candidates, options.possible);
    return others ? joined(allowed, keepAllowed(others, gate)) : allowed;
  };

  return {
    highest: count,
    async draw(place) {
      const recent = window > 0 ? history.slice(-window) : [];
      // A bias or a negative penalty may raise a token that is not among the highest.
      const raised = rewards ? [...new Set([...biased, ...recent])] : biased;
      const top = source.highestAt(place, count);
      if (top.tokens.length === 0) throw noNumbers();
      const others = raised.length > 0 ? readTokens(source, place, raised) : undefined;
      const known = others ? joined(top, others) : top;
      let token = sampler.sample(known, recent);
      if (grammar && !grammar.allows(token)) token = sampler.sample(await readGrammar(grammar, place, others), recent);
      if (isEndOfTurn(token)) return null;
      grammar?.accept(token);
      history.push(token);
      if (logprobs === null) return { token };
      return rank({ ...known, totalWeight: readWeight(source, place, top.logits[0] ?? 0) }, token, logprobs);
    },
    force(token) {
      if (!takes(grammar, token)) return false;
      // An engine that continues the reply skips one random number for each token, forced tokens included.
      sampler.skip();
      history.push(token);
      return true;
    },
    close: () => grammar?.close(),
  };
}

/** Moves a grammar on by a forced token. Returns false if the grammar does not allow it. */
export function takes(grammar: GrammarGate | undefined, token: Token): boolean {
  if (grammar && !grammar.allows(token)) return false;
  grammar?.accept(token);
  return true;
}

/**
 * Returns the highest logits followed by the logits of other tokens, without duplicates. Other fields are those of
 * `others`.
 */
export function joined<T extends TopLogits>(top: TopLogits, others: T): T {
  const known = new Set(top.tokens);
  const more = others.tokens.flatMap((token, index) =>
    known.has(token) ? [] : [{ token, logit: others.logits[index] ?? 0 }],
  );
  return {
    ...others,
    tokens: [...top.tokens, ...more.map(({ token }) => token)],
    logits: [...top.logits, ...more.map(({ logit }) => logit)],
  };
}

function keepAllowed({ tokens, logits }: TopLogits, grammar: GrammarGate): TopLogits {
  const kept = tokens.flatMap((token, index) => (grammar.allows(token) ? [{ token, logit: logits[index] ?? 0 }] : []));
  return { tokens: kept.map(({ token }) => token), logits: kept.map(({ logit }) => logit) };
}

/** Returns a token with its log probability and the `alternatives` most likely tokens. */
export function rank(top: WholeLogits, token: Token, alternatives: number): Drawn {
  const all = logProbabilities(top, top.totalWeight);
  const ranked = top.tokens.map((candidate, place) => ({ token: candidate, logprob: all[place] ?? 0 }));
  const own = ranked.find((candidate) => candidate.token === token);
  return { token, logprob: own?.logprob ?? Number.NEGATIVE_INFINITY, alternatives: ranked.slice(0, alternatives) };
}

/** The options of a drawer with llama.cpp's samplers. */
export interface NativeDrawerOptions extends DrawerContext {
  chain: SamplerChain;
}

/** Draws with llama.cpp's samplers, which read the logits of the whole vocabulary. */
export function createNativeDrawer(options: NativeDrawerOptions): TokenDrawer {
  const { source, chain, grammar, history, isEndOfTurn } = options;
  const candidates = options.makeCandidates();

  const add = (token: Token) => {
    chain.accept(token);
    history.push(token);
  };
  return {
    highest: 0,
    async draw(place) {
      candidates.fillAll(source.logitsAt(place));
      let token = await chain.choose(candidates);
      if (grammar && token !== null && !grammar.allows(token)) {
        candidates.fillAll(source.logitsAt(place));
        await grammar.mask(candidates);
        token = await chain.choose(candidates);
      }
      if (token === null || (grammar && !grammar.allows(token))) throw new Error('no token can follow');
      if (isEndOfTurn(token)) return null;
      grammar?.accept(token);
      add(token);
      return { token };
    },
    force(token) {
      if (!takes(grammar, token)) return false;
      add(token);
      return true;
    },
    close() {
      chain.close();
      grammar?.close();
    },
  };
}
