import { describe, expect, it } from 'vitest';
import { toSampling, toStopSequences } from '../../../src/api/fields/sampling.ts';
import { modelCard } from '../fixtures.ts';

describe('sampling', () => {
  it('has the defaults of the API contract', () => {
    expect(toSampling({ seed: 1 }, modelCard())).toEqual({
      temperature: 0.7,
      topP: 0.95,
      topK: 40,
      minP: 0,
      topNSigma: -1,
      typicalP: 1,
      xtcProbability: 0,
      xtcThreshold: 0.1,
      repeatPenalty: 1.1,
      repeatLastN: 64,
      presencePenalty: 0,
      frequencyPenalty: 0,
      dryMultiplier: 0,
      dryBase: 1.75,
      dryAllowedLength: 2,
      dryPenaltyLastN: 64,
      dynatempRange: 0,
      dynatempExponent: 1,
      mirostat: 0,
      mirostatTau: 5,
      mirostatEta: 0.1,
      seed: 1,
      logitBias: [],
      dryBreakers: ['\n', ':', '"', '*'],
    });
  });

  it('is taken from the request, else from the parameters of the model, else from its settings', () => {
    const model = modelCard({
      settings: { embedding: false, temperature: 0.1, top_k: 1, min_p: 0.2 },
      parameters: { temperature: 0.2, top_p: 0.3 },
    });
    expect(toSampling({}, model)).toMatchObject({ temperature: 0.2, topP: 0.3, topK: 1, minP: 0.2 });
    expect(toSampling({ temperature: 0, min_p: null }, model)).toMatchObject({ temperature: 0, minP: 0.2 });
  });
});

describe('repetition_penalty', () => {
  it("is another name of repeat_penalty, which counts if both are there, and comes before the model's own", () => {
    const model = modelCard({ settings: { embedding: false, repeat_penalty: 1.5 } });
    expect(toSampling({ repetition_penalty: 1.3 }, model).repeatPenalty).toBe(1.3);
    expect(toSampling({ repetition_penalty: 1.3, repeat_penalty: 1 }, model).repeatPenalty).toBe(1);
    expect(toSampling({ repetition_penalty: null }, model).repeatPenalty).toBe(1.5);
  });
});

describe('stop sequences', () => {
  const model = modelCard({ parameters: { stop: ['</s>'] } });

  it.each([
    ['END', ['END']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [[], []],
    ['', []],
    [[''], []],
    [['a', ''], ['a']],
    [null, ['</s>']],
    [undefined, ['</s>']],
  ])('are those of the request, or of the model if the request has none: %j', (stop, expected) => {
    expect(toStopSequences({ stop }, model)).toEqual(expected);
  });
});
