import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logProbabilities } from '../../src/sampling/log-probabilities.ts';
import { sum } from '../../src/utils/sum.ts';
import { type NativeChain, startNativeChain } from './native-chain.ts';

let native: NativeChain;
beforeAll(async () => {
  native = await startNativeChain();
});
afterAll(() => native[Symbol.asyncDispose]());

describe("node-llama-cpp's logits", () => {
  it('are those of the whole vocabulary, highest first, if its chain changes nothing', async () => {
    const { logits } = await native.evaluatePrompt();
    expect(logits.tokens.length).toBe(native.model.fileInfo.metadata.tokenizer.ggml.tokens?.length);
    expect(Array.from(logits.logits)).toEqual(Array.from(logits.logits).toSorted((a, b) => b - a));
    // Temperature 0 skips top-k, top-p, min-p and temperature.
    const cold = await native.evaluatePrompt({ temperature: 0, topK: 3, topP: 0.5, minP: 0.5 });
    expect(cold.logits).toEqual(logits);
  });

  it('are those after its chain: scaled by temperature, truncated, biased', async () => {
    const raw = await native.evaluatePrompt();
    const hot = await native.evaluatePrompt({ temperature: 2 });
    expect(hot.logits.logits).toEqual(Array.from(raw.logits.logits).map((logit) => logit / 2));
    const few = await native.evaluatePrompt({ topK: 3 });
    expect(few.logits.tokens).toEqual(Array.from(raw.logits.tokens).slice(0, 3));
    const best = raw.logits.tokens[0] ?? 0;
    const biased = await native.evaluatePrompt({ temperature: 0, logitBias: [[best, 1]] });
    expect(biased.logits.logits[0]).toBeCloseTo((raw.logits.logits[0] ?? 0) + 1, 4);
  });

  it('have the sum of e^(logit - highest) over the same logits as their weight', async () => {
    for (const sampling of [{}, { temperature: 0 }, { temperature: 2 }, { topK: 3 }]) {
      const { logits, totalLogitWeight } = await native.evaluatePrompt(sampling);
      const values = Array.from(logits.logits);
      const weight = sum(values.map((logit) => Math.exp(logit - (values[0] ?? 0))));
      expect(totalLogitWeight / weight).toBeCloseTo(1, 5);
    }
  });

  it("give, together with that weight, the logarithms of the model's probabilities", async () => {
    const { logits, probabilities, totalLogitWeight } = await native.evaluatePrompt();
    const best = { tokens: Array.from(logits.tokens).slice(0, 5), logits: Array.from(logits.logits).slice(0, 5) };
    logProbabilities(best, totalLogitWeight).forEach((value, index) => {
      expect(value).toBeCloseTo(Math.log(probabilities[index] ?? 0), 5);
    });
  });
});
