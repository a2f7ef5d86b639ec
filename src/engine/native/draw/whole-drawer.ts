import type { Sampling } from '../../../contract/sampling.ts';
import { createSampler } from '../../../sampling/sampler.ts';
import { usesXtc } from '../../../sampling/xtc.ts';
import type { NativeCandidates } from '../llama/candidates.ts';
import type { LogitsPlace, Token } from '../llama/tokens/token.ts';
import { readTokens, readWeight } from './read-logits.ts';
import { joined, type LogitsDrawerOptions, lookedBackOn, rank, type TokenDrawer, takes } from './token-drawer.ts';

/** True if a request has a sampler that llama.cpp's chain lacks here, and that must not be given a part of the logits. */
export function needsAllLogits(sampling: Sampling): boolean {
  const { mirostat, dryMultiplier, topNSigma } = sampling;
  return mirostat === 0 && (dryMultiplier > 0 || topNSigma > 0 || usesXtc(sampling));
}

/** Draws from the logits of the whole vocabulary with Paddock's own samplers. */
export function createWholeDrawer(options: LogitsDrawerOptions): TokenDrawer {
  const { source, sampling, vocabularySize, grammar, logprobs, history, isEndOfTurn } = options;
  const sampler = createSampler(sampling, vocabularySize, options.spentDraws, options.breakers);
  const window = lookedBackOn(sampling, options.contextLength);
  const tokens = Int32Array.from({ length: vocabularySize }, (_, token) => token);
  let candidates: NativeCandidates | undefined;

  /** Returns all logits, with minus infinity for the tokens that the grammar forbids. */
  const readMasked = async (place: LogitsPlace): Promise<Float32Array> => {
    candidates ??= options.makeCandidates();
    candidates.fillAll(source.logitsAt(place));
    await grammar?.mask(candidates);
    return candidates.logits();
  };
  const describe = (place: LogitsPlace, token: Token, alternatives: number) => {
    const top = source.highestAt(place, Math.max(1, alternatives));
    const known = joined(top, readTokens(source, place, [token]));
    return rank({ ...known, totalWeight: readWeight(source, place, top.logits[0] ?? 0) }, token, alternatives);
  };

  return {
    highest: 0,
    async draw(place) {
      const recent = window > 0 ? history.slice(-window) : [];
      let token = sampler.sample({ tokens, logits: source.logitsAt(place) }, recent);
      if (grammar && !grammar.allows(token)) {
        token = sampler.sample({ tokens, logits: await readMasked(place) }, recent);
        if (!grammar.allows(token)) throw new Error('no token can follow');
      }
      if (isEndOfTurn(token)) return null;
      grammar?.accept(token);
      history.push(token);
      return logprobs === null ? { token } : describe(place, token, logprobs);
    },
    force(token) {
      if (!takes(grammar, token)) return false;
      sampler.skip();
      history.push(token);
      return true;
    },
    close: () => grammar?.close(),
  };
}
