import type { AddonContext, Place } from './addon-context.ts';
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

/** What is told of the logits over the whole vocabulary. */
export interface WholeLogits extends TopLogits {
  /** The sum of exp(logit - highest logit) over the whole vocabulary, which is the denominator of the softmax. */
  totalWeight: number;
}

/** Reads the logits of one reply, one place at a time. */
export interface LogitsReader {
  /** The highest `count` logits; under a grammar, of the tokens that it allows in this state, which stays as it is. */
  top(place: Place, count: number, grammar?: GrammarState): Promise<TopLogits>;
  /** The logits of these tokens, and the weight of all. It takes longer than `top`: it looks at the vocabulary twice. */
  whole(place: Place, tokens: Token[]): Promise<WholeLogits>;
  close(): void;
}

/**
 * node-llama-cpp tells logits only after its chain of samplers. A top-k and a temperature of 1 change none of those that are
 * left; temperature 0 leaves all of them.
 */
export function createLogitsReader(loaded: NativeModel, decoder: Pick<Decoder, 'addon'>): LogitsReader {
  const highest = createAddonSampler(loaded);
  let all: AddonSampler | undefined;
  const asking = { temperature: 1, topP: 1, minP: 0, seed: 0 };

  return {
    async top(place, count, grammar) {
      // The draw, which nobody looks at, moves the grammar on: that of a copy.
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
  place: Place,
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

/** Where a grammar allows fewer tokens than were asked for, the others have no chance. */
function possible({ tokens, logits }: TopLogits): TopLogits {
  const count = logits.filter((logit) => logit > Number.NEGATIVE_INFINITY).length;
  return { tokens: tokens.slice(0, count), logits: logits.slice(0, count) };
}
