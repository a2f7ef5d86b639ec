import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sampling } from '../../src/contract/sampling.ts';
import { createSampler } from '../../src/sampling/sampler.ts';
import { greedy } from '../kit/generation.ts';
import { someLogits } from './fixtures.ts';

/** Draws from the distribution of the model, unchanged. */
const plain: Sampling = { ...greedy, temperature: 1, seed: 42 };

const VOCABULARY_SIZE = 1000;

/** Returns logits that a 32-bit float holds exactly, all distinct, and different in every step. */
function logitsOfStep(step: number) {
  const tokens = Array.from({ length: VOCABULARY_SIZE }, (_, token) => token);
  return { tokens, logits: tokens.map((token) => ((token * 7919 + step * 131) % 1009) / 64 - 8) };
}

function drawTen(sampling: Partial<Sampling>): number[] {
  const sampler = createSampler({ ...plain, ...sampling }, VOCABULARY_SIZE);
  const drawn: number[] = [];
  for (let step = 0; step < 10; step++) drawn.push(sampler.sample(logitsOfStep(step), drawn));
  return drawn;
}

/**
 * The tokens that llama.cpp v0.5.0 itself draws (libllama for x86-64 Linux, samplers in default order) for these
 * logits.
 */
const drawnByLlamaCpp: [Partial<Sampling>, tokens: number[]][] = [
  [{}, [798, 173, 780, 583, 439, 111, 467, 316, 139, 655]],
  [{ temperature: 1.7 }, [798, 179, 780, 590, 441, 110, 462, 323, 139, 654]],
  [{ topK: 40, topP: 0.9, minP: 0.1, temperature: 2 }, [231, 878, 114, 893, 663, 644, 58, 593, 363, 575]],
  [{ minP: 0.02 }, [798, 173, 780, 583, 439, 117, 467, 316, 139, 655]],
  [{ typicalP: 0.6, temperature: 2 }, [719, 674, 114, 234, 894, 928, 533, 666, 403, 918]],
  [{ typicalP: 0.9, topP: 0.8, seed: 7 }, [99, 212, 543, 438, 419, 222, 724, 692, 330, 397]],
  [{ dynatempRange: 0.8, dynatempExponent: 0.5 }, [832, 245, 405, 478, 538, 954, 698, 92, 706, 15]],
  [
    { temperature: 2, dynatempRange: 2, dynatempExponent: 2, topK: 100 },
    [383, 456, 510, 425, 373, 433, 777, 237, 673, 140],
  ],
  [{ temperature: 0, typicalP: 0.5 }, [198, 522, 846, 926, 485, 809, 889, 448, 772, 87]],
  [
    { repeatPenalty: 1.5, presencePenalty: 0.5, frequencyPenalty: 1.5, repeatLastN: 5, topK: 8 },
    [310, 845, 958, 517, 320, 367, 968, 527, 86, 443],
  ],
  [{ repeatPenalty: 1.3, repeatLastN: 64, topK: 3, temperature: 0 }, [765, 80, 404, 728, 43, 367, 691, 6, 330, 654]],
  [
    {
      logitBias: [
        [500, 20],
        [3, 15.5],
        [4, -1],
      ],
    },
    [500, 3, 500, 3, 500, 500, 500, 3, 3, 3],
  ],
  [{ mirostat: 1, temperature: 1.5, mirostatTau: 3 }, [765, 80, 404, 728, 43, 367, 691, 6, 330, 654]],
  [
    { mirostat: 1, mirostatTau: 2, mirostatEta: 0.5, temperature: 3, seed: 3 },
    [765, 80, 404, 728, 43, 367, 302, 6, 330, 654],
  ],
  [{ mirostat: 2, temperature: 3 }, [397, 311, 682, 234, 261, 189, 45, 969, 396, 951]],
  [
    { mirostat: 2, mirostatTau: 2, mirostatEta: 0.6, temperature: 2, seed: 4294967294 },
    [765, 80, 404, 517, 43, 367, 553, 6, 330, 674],
  ],
  [{ mirostat: 2, temperature: 0 }, [765, 80, 404, 728, 43, 367, 691, 6, 330, 654]],
];

describe('createSampler', () => {
  it.each(drawnByLlamaCpp)('draws the same tokens as llama.cpp with %o', (sampling, tokens) => {
    expect(drawTen(sampling)).toEqual(tokens);
  });

  it('takes the highest logit after bias and penalties at temperature 0', () => {
    const sample = (sampling: Partial<Sampling>) =>
      createSampler({ ...plain, temperature: 0, ...sampling }, 3).sample({ tokens: [7, 8, 9], logits: [3, 2, 1] }, [7]);
    expect(sample({})).toBe(7);
    expect(sample({ repeatPenalty: 2 })).toBe(8);
    expect(sample({ presencePenalty: 1.5, topK: 1 })).toBe(8);
    expect(sample({ logitBias: [[9, 2.5]] })).toBe(9);
    expect(sample({ logitBias: [[9, 2.5]], mirostat: 1 })).toBe(9);
  });

  it('applies no penalties with Mirostat, as llama.cpp', () => {
    const sampling: Sampling = { ...plain, temperature: 0, presencePenalty: 5, mirostat: 2 };
    expect(createSampler(sampling, 2).sample({ tokens: [0, 1], logits: [2, 1] }, [0])).toBe(0);
  });

  it('draws the same tokens with the same seed and others with another seed', () => {
    expect(drawTen({ temperature: 3 })).toEqual(drawTen({ temperature: 3 }));
    expect(drawTen({ temperature: 3 })).not.toEqual(drawTen({ temperature: 3, seed: 43 }));
  });

  it('forgets the earlier lists when it gets a longer or shorter one', () => {
    const sampler = createSampler({ ...plain, topK: 1 }, 10);
    const best = [5, 2000, 3].map((size) =>
      sampler.sample(
        {
          tokens: Int32Array.from({ length: size }, (_, i) => i),
          logits: Float32Array.from({ length: size }, (_, i) => i),
        },
        [],
      ),
    );
    expect(best).toEqual([4, 1999, 2]);
  });

  it('chooses one of the given tokens, and changes neither the logits nor the history', () => {
    const mirostat = fc.constantFrom<0 | 1 | 2>(0, 1, 2);
    const share = fc.double({ min: 0.01, max: 1, noNaN: true });
    const range = fc.double({ min: 0, max: 2, noNaN: true });
    fc.assert(
      fc.property(
        someLogits,
        share,
        share,
        range,
        range,
        mirostat,
        (logits, typicalP, topP, temperature, dynatempRange, version) => {
          const given = { tokens: logits.map((_, index) => index * 3), logits };
          const before = structuredClone(given);
          const sampling: Sampling = {
            ...plain,
            typicalP,
            topP,
            temperature,
            dynatempRange,
            mirostat: version,
            repeatPenalty: 1.2,
          };
          const history = [0, 3, 3];
          expect(given.tokens).toContain(createSampler(sampling, 200).sample(given, history));
          expect(given).toEqual(before);
          expect(history).toEqual([0, 3, 3]);
        },
      ),
    );
  });

  it('throws for a list without tokens and for one with too few logits', () => {
    const sampler = createSampler(plain, 10);
    expect(() => sampler.sample({ tokens: [], logits: [] }, [])).toThrow('no tokens to choose from');
    expect(() => sampler.sample({ tokens: [1, 2], logits: [0] }, [])).toThrow('2 tokens, but 1 logits');
  });
});
