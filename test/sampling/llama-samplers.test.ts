import { join } from 'node:path';
import koffi from 'koffi';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createCandidates, type NativeCandidates } from '../../src/engine/native/llama/candidates.ts';
import { findBinaries } from '../../src/engine/native/llama/library/binaries.ts';
import type { Pointer } from '../../src/engine/native/llama/library/pointer.ts';
import type { LlamaModel } from '../../src/engine/native/llama/model.ts';
import { createVocabulary, type Vocabulary } from '../../src/engine/native/llama/tokens/vocabulary.ts';
import { findBreakers, NO_BREAKERS } from '../../src/sampling/breakers.ts';
import { penalizeRepetitions } from '../../src/sampling/dry.ts';
import { createMersenneTwister } from '../../src/sampling/mersenne-twister.ts';
import { topNSigma } from '../../src/sampling/truncation.ts';
import { excludeTopChoices } from '../../src/sampling/xtc.ts';
import { openNativeModel } from '../kit/native-model.ts';
import { makeRandom } from '../kit/random.ts';
import { logitsOf, tokensOf, withLogits } from './fixtures.ts';

/** llama.cpp's own samplers, which Paddock does not call. */
interface LlamaSamplers {
  dry(multiplier: number, base: number, allowedLength: number, lastN: number, breakers: string[]): Pointer;
  xtc(probability: number, threshold: number, seed: number): Pointer;
  topNSigma(n: number): Pointer;
}

let model: LlamaModel;
let vocabulary: Vocabulary;
let samplers: LlamaSamplers;
let candidates: NativeCandidates;
beforeAll(async () => {
  model = await openNativeModel(join(inject('modelsFolder'), 'tiny.gguf'));
  vocabulary = createVocabulary(model);
  samplers = await bindSamplers(model);
  candidates = createCandidates(model.tokenizer.size);
});
afterAll(() => model?.close());

async function bindSamplers({ library: { llama }, handle }: LlamaModel): Promise<LlamaSamplers> {
  const { libraries } = await findBinaries(false);
  const library = koffi.load(libraries.at(-1) ?? '');
  const dry = library.func(
    'void *llama_sampler_init_dry(void *vocab, float multiplier, float base, int32_t allowed, int32_t last_n, const char **breakers, size_t count)',
  );
  const xtc = library.func('void *llama_sampler_init_xtc(float p, float t, size_t min_keep, uint32_t seed)');
  const sigma = library.func('void *llama_sampler_init_top_n_sigma(float n)');
  const vocab = llama.llama_model_get_vocab(handle);
  return {
    dry: (multiplier, base, allowed, lastN, breakers) =>
      dry(vocab, multiplier, base, allowed, lastN, breakers, breakers.length) as Pointer,
    xtc: (probability, threshold, seed) => xtc(probability, threshold, 0, seed) as Pointer,
    topNSigma: (n) => sigma(n) as Pointer,
  };
}

/** Applies one of llama.cpp's samplers to logits of the tokens 0, 1, ... Returns the logits in the order that it leaves. */
function apply(sampler: Pointer, logits: readonly number[]): number[] {
  candidates.fill(
    logits.map((_, token) => token),
    logits,
  );
  model.library.llama.llama_sampler_apply(sampler, candidates.address);
  return Array.from(candidates.logits());
}

/** Returns logits that a 32-bit float holds exactly. */
function randomLogits(random: () => number, size: number): number[] {
  return Array.from({ length: size }, () => (random() % 4096) / 128 - 16);
}

describe('DRY', () => {
  const TEXTS = [
    'one two three one two three one two three one two',
    'say: one two. say: one two. say: one two. say:',
    'a\nb\na\nb\na\nb\n',
    '"quoted" and "quoted" and "quoted',
    'x x x x x x x x x x x x x x x x',
    '',
  ];

  it.each<[name: string, multiplier: number, base: number, allowed: number, lastN: number, breakers: string[]]>([
    ['its defaults', 0.8, 1.75, 2, 64, ['\n', ':', '"', '*']],
    ['no allowed length', 1.5, 1.1, 0, 256, ['\n']],
    ['a short window', 2, 2, 1, 9, ['~']],
    ['a base of 1', 3, 1, 2, 64, ['thr', 'say']],
    ['a large base, whose powers overflow', 0.5, 90, 1, 256, ['~']],
    ['breakers of several tokens', 1, 1.75, 1, 256, ['two three', 'and "qu', 'ay: o']],
  ])('lowers the same logits as llama.cpp, with %s', async (_, multiplier, base, allowed, lastN, breakers) => {
    const random = makeRandom(3);
    const known = await findBreakers(breakers, vocabulary, async () => {});
    for (const text of TEXTS) {
      const history = model.tokenizer.tokenize(text, false);
      const logits = randomLogits(random, model.tokenizer.size);
      const sampler = samplers.dry(multiplier, base, allowed, lastN, breakers);
      for (const token of history) model.library.llama.llama_sampler_accept(sampler, token);
      const expected = apply(sampler, logits);
      model.library.llama.llama_sampler_free(sampler);
      const own = withLogits(logits);
      const dry = { dryMultiplier: multiplier, dryBase: base, dryAllowedLength: allowed, dryPenaltyLastN: lastN };
      penalizeRepetitions(own, dry, history, known);
      expect(logitsOf(own), text).toEqual(expected);
    }
  });

  it('finds the longest repetition in random tokens, as llama.cpp', () => {
    const random = makeRandom(7);
    for (let round = 0; round < 200; round++) {
      const kinds = 2 + (random() % 4);
      const history = Array.from({ length: random() % 60 }, () => 100 + (random() % kinds));
      const [allowed, lastN] = [random() % 4, 1 + (random() % 70)];
      const logits = randomLogits(random, 120);
      const sampler = samplers.dry(1.25, 1.5, allowed, lastN, ['~']);
      for (const token of history) model.library.llama.llama_sampler_accept(sampler, token);
      const expected = apply(sampler, logits);
      model.library.llama.llama_sampler_free(sampler);
      const own = withLogits(logits);
      const dry = { dryMultiplier: 1.25, dryBase: 1.5, dryAllowedLength: allowed, dryPenaltyLastN: lastN };
      penalizeRepetitions(own, dry, history, NO_BREAKERS);
      expect(logitsOf(own), JSON.stringify({ history, allowed, lastN })).toEqual(expected);
    }
  });
});

describe('XTC', () => {
  it.each([
    [1, 0.1],
    [0.5, 0.05],
    [0.3, 0.5],
    [1, 0.001],
  ])('removes the same tokens as llama.cpp, with the chance %d and the threshold %d', (probability, threshold) => {
    const random = makeRandom(5);
    const sampler = samplers.xtc(probability, threshold, 11);
    const chance = createMersenneTwister(11);
    for (let round = 0; round < 50; round++) {
      const logits = randomLogits(random, 1 + (random() % 40)).map((logit) => logit / 4);
      // llama.cpp moves the beginning of its array past the tokens that it removes.
      const left = apply(sampler, logits).length;
      const expected = logits.toSorted((a, b) => b - a).slice(logits.length - left);
      const own = withLogits(logits);
      excludeTopChoices(own, { xtcProbability: probability, xtcThreshold: threshold }, chance);
      expect(logitsOf(own).toSorted((a, b) => b - a)).toEqual(expected);
    }
    model.library.llama.llama_sampler_free(sampler);
  });
});

describe('top-n-sigma', () => {
  it.each([[0.5], [1], [2.5], [0], [-1]])('makes the same tokens impossible as llama.cpp, with %d', (n) => {
    const random = makeRandom(9);
    const sampler = samplers.topNSigma(n);
    for (let round = 0; round < 50; round++) {
      const logits = randomLogits(random, 1 + (random() % 200));
      const own = withLogits(logits);
      topNSigma(own, n);
      expect(logitsOf(own)).toEqual(apply(sampler, logits));
      expect(tokensOf(own)).toHaveLength(logits.length);
    }
    model.library.llama.llama_sampler_free(sampler);
  });
});
