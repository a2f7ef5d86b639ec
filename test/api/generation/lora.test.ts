import { describe, expect, it } from 'vitest';
import { toAppliedAdapters } from '../../../src/api/generation/lora.ts';
import { modelCard } from '../fixtures.ts';

const lora = [
  { id: 'style', scale: 0.5 },
  { id: 'tone', scale: 0 },
  { id: '0', scale: 1 },
];
const model = modelCard({ settings: { embedding: false, lora } });
const refusal = (param: string, message: string, code = 'unknown_lora') =>
  expect.objectContaining({ data: expect.objectContaining({ status: 400, code, param, message }) });

describe('the LoRA adapters of a generation', () => {
  it.each([undefined, null, []])('are those of the model by default: %j', (named) => {
    expect(toAppliedAdapters(named, model)).toEqual([
      { name: 'style', scale: 0.5 },
      { name: '0', scale: 1 },
    ]);
    expect(toAppliedAdapters(named, modelCard())).toEqual([]);
  });

  it('are only those that the request names, by name or by index, in the order of the model', () => {
    const named = [
      { id: 1, scale: -2 },
      { id: 'style', scale: 3 },
    ];
    expect(toAppliedAdapters(named, model)).toEqual([
      { name: 'style', scale: 3 },
      { name: 'tone', scale: -2 },
    ]);
    expect(toAppliedAdapters([{ id: '0', scale: 1 }], model)).toEqual([{ name: '0', scale: 1 }]);
    expect(toAppliedAdapters([{ id: 0, scale: 1 }], model)).toEqual([{ name: 'style', scale: 1 }]);
  });

  it('are none if the request gives them a scale of 0', () => {
    expect(toAppliedAdapters([{ id: 'tone', scale: 0 }], model)).toEqual([]);
  });

  it('are refused if the model lacks them, with the names of those that it has', () => {
    const has = "It has 'style' (0), 'tone' (1), '0' (2).";
    const unknown = (id: string | number) => () =>
      toAppliedAdapters(
        [
          { id: 'tone', scale: 1 },
          { id, scale: 0 },
        ],
        model,
      );
    expect(unknown('other')).toThrow(refusal('lora[1].id', `The model 'tiny' has no LoRA adapter 'other'. ${has}`));
    expect(unknown(3)).toThrow(refusal('lora[1].id', `The model 'tiny' has no LoRA adapter with the index 3. ${has}`));
    expect(() => toAppliedAdapters([{ id: 0, scale: 1 }], modelCard())).toThrow(
      refusal('lora[0].id', "The model 'tiny' has no LoRA adapter with the index 0. It has none."),
    );
  });

  it('can not be named twice', () => {
    const twice = [
      { id: 'tone', scale: 1 },
      { id: 1, scale: 2 },
    ];
    const message = "lora names the adapter 'tone' twice.";
    expect(() => toAppliedAdapters(twice, model)).toThrow(refusal('lora[1].id', message, 'invalid_request'));
  });
});
