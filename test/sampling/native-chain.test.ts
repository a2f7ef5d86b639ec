import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sampling } from '../../src/contract/sampling.ts';
import { softmax, type TokenLogits, toCandidates } from '../../src/sampling/candidates.ts';
import { addBiases, penalize, toBiases } from '../../src/sampling/penalties.ts';
import { createSampler } from '../../src/sampling/sampler.ts';
import { scaleByTemperature } from '../../src/sampling/temperature.ts';
import { minP, topK, topP } from '../../src/sampling/truncation.ts';
import { probabilitiesOf, tokensOf } from './fixtures.ts';
import { type NativeChain, plain, startNativeChain } from './native-chain.ts';

const STEPS = 20;

let native: NativeChain;
beforeAll(async () => {
  native = await startNativeChain();
});
afterAll(() => native[Symbol.asyncDispose]());

/** Returns the candidates that our chain leaves for the draw. */
function chainOn(logits: TokenLogits, sampling: Sampling) {
  const candidates = toCandidates(logits);
  addBiases(candidates, toBiases(sampling.logitBias));
  penalize(candidates, sampling, native.prompt);
  topK(candidates, sampling.topK);
  topP(candidates, sampling.topP);
  minP(candidates, sampling.minP);
  scaleByTemperature(candidates, sampling.temperature);
  softmax(candidates);
  return candidates;
}

describe('our chain and the chain of node-llama-cpp', () => {
  const penalties: Partial<Sampling> = { repeatPenalty: 1.3, presencePenalty: 0.5, frequencyPenalty: 0.25 };

  it.each<Partial<Sampling>>([
    {},
    { temperature: 3 },
    { topK: 7 },
    { topP: 0.9 },
    { minP: 0.01 },
    { topP: 0.9, temperature: 2 },
    { ...penalties, topK: 20 },
    { ...penalties, repeatLastN: 3, topP: 0.95, minP: 0.02, topK: 40, temperature: 1.7 },
    { logitBias: [[100, 4]], topK: 5 },
  ])('leave the same tokens with the same probabilities for %o', async (options) => {
    const sampling = { ...plain, ...options };
    const { logits } = await native.evaluatePrompt();
    const theirs = await native.evaluatePrompt(options);
    const ours = chainOn(logits, sampling);
    expect(tokensOf(ours)).toEqual(theirs.logits.tokens);
    expect(theirs.logits.tokens.length).toBeGreaterThan(1);
    probabilitiesOf(ours).forEach((probability, index) => {
      expect(probability).toBeCloseTo(theirs.probabilities[index] ?? 0, 6);
    });
  });

  it('choose the same token at temperature 0', async () => {
    const { logits } = await native.evaluatePrompt();
    const bias: Sampling['logitBias'] = [[logits.tokens[4] ?? 0, 20]];
    for (const options of [{}, { ...penalties, repeatPenalty: 3 }, { logitBias: bias }]) {
      const sampling = { ...plain, temperature: 0, ...options };
      const { token } = await native.evaluatePrompt(sampling);
      expect(createSampler(sampling, logits.tokens.length).sample(logits, native.prompt)).toBe(token);
    }
  });

  it.each<Partial<Sampling>>([
    { temperature: 3, seed: 1 },
    { temperature: 2, topK: 40, topP: 0.95, minP: 0.02, seed: 4_000_000_000 },
    { ...penalties, temperature: 3, topK: 40, seed: 0 },
  ])('draw the same tokens with the same seed for %o', async (options) => {
    const sampling = { ...plain, ...options };
    const theirs = await native.generate(sampling, STEPS);
    expect(await generateWithOurs(sampling)).toEqual(theirs);
    expect(new Set(theirs).size).toBeGreaterThan(STEPS / 4);
    expect(await generateWithOurs({ ...sampling, seed: sampling.seed + 1 })).not.toEqual(theirs);
  });
});

function generateWithOurs(sampling: Sampling): Promise<number[]> {
  const sampler = createSampler(sampling, 0);
  return native.generateWith((logits, history) => sampler.sample(logits, history), STEPS);
}
