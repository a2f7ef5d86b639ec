import type { AddonContext, LogitsPlace } from './addon-context.ts';
import type { Decoder } from './decoder.ts';
import {
  type AddonSampler,
  createAddonSampler,
  type GrammarState,
  type NativeModel,
  nativeState,
  type Token,
} from './llama.ts';

/** The raw logits of some tokens for the next position, the highest first. */
export interface TopLogits {
  tokens: Token[];
  logits: number[];
}

/** The logits of some tokens, with the sum over the whole vocabulary that turns them into probabilities. */
export interface WholeLogits extends TopLogits {
  /** The denominator of the softmax: the sum of exp(logit - highest logit) over the whole vocabulary. */
  totalWeight: number;
}

/** Reads the logits of one reply, one place at a time. Its promises reject if the context is gone. */
export interface LogitsReader {
  /**
   * Returns the highest `count` logits; with a grammar, only of tokens that it allows next. Does not change the
   * grammar's state.
   */
  top(place: LogitsPlace, count: number, grammar?: GrammarState): Promise<TopLogits>;
  /**
   * Returns the logits of these tokens, and the sum over all. Takes longer than `top`: it goes over the vocabulary
   * twice.
   */
  whole(place: LogitsPlace, tokens: Token[]): Promise<WholeLogits>;
  /** Frees the native samplers. */
  close(): void;
}

/**
 * Makes a reader of logits. node-llama-cpp returns logits only after its chain of samplers. A chain of top-k and
 * temperature 1 leaves the highest logits unchanged; a chain with temperature 0 leaves all logits unchanged.
 */
export function createLogitsReader(loaded: NativeModel, decoder: Pick<Decoder, 'addon'>): LogitsReader {
  const highest = createAddonSampler(loaded);
  let all: AddonSampler | undefined;
  const asking = { temperature: 1, topP: 1, minP: 0, seed: 0 };

  return {
    async top(place, count, grammar) {
      // The chain also draws a token, which is ignored but moves the grammar on. So it gets a copy of the state.
      const grammarEvaluationState = grammar && nativeState(grammar.clone());
      highest.applyConfig({ ...asking, topK: count, ...(grammarEvaluationState && { grammarEvaluationState }) });
      const { top } = await read(decoder.addon, place, highest, [], count, false);
      return grammar ? possible(top) : top;
    },
    async whole(place, tokens) {
      if (!all) {
        all = createAddonSampler(loaded);
        all.applyConfig({ temperature: 0 });
      }
      const { top, totalWeight } = await read(decoder.addon, place, all, tokens, 0, true);
      return { ...top, totalWeight };
    },
    close() {
      highest.dispose();
      all?.dispose();
    },
  };
}

async function read(
  addon: AddonContext,
  place: LogitsPlace,
  sampler: AddonSampler,
  tokens: Token[],
  count: number,
  weigh: boolean,
): Promise<{ top: TopLogits; totalWeight: number }> {
  const answer = await addon.sampleToken(place, sampler, false, false, [tokens, false, false, false, count], weigh);
  const [, , , pairs = [], totalWeight = 0] = answer;
  const top: TopLogits = { tokens: [], logits: [] };
  for (let index = 0; index < pairs.length; index += 2) {
    top.tokens.push(pairs[index] as Token);
    top.logits.push(pairs[index + 1] ?? 0);
  }
  return { top, totalWeight };
}

/**
 * Drops the tokens that a grammar forbids, whose logits are minus infinity. They fill up the list if too few tokens are
 * allowed.
 */
function possible({ tokens, logits }: TopLogits): TopLogits {
  const count = logits.filter((logit) => logit > Number.NEGATIVE_INFINITY).length;
  return { tokens: tokens.slice(0, count), logits: logits.slice(0, count) };
}
