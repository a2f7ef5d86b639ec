import { describe, expect, it } from 'vitest';
import { createDice } from '../../kit/dice.ts';
import { makeTinyModel } from '../../kit/models/tiny-model.ts';
import { readLayout } from './gguf-layout.ts';
import { mutateGguf } from './mutate-gguf.ts';

const original = Buffer.from(makeTinyModel());

describe('the layout of a GGUF file', () => {
  it('has each field, each tensor, and the end of the header', () => {
    const { fields, tensors, end } = readLayout(original);
    const length = fields.find(({ key }) => key === 'qwen2.context_length');
    expect(length && original.readUInt32LE(length.valueAt)).toBe(1024);
    const embedding = tensors.find(({ name }) => name === 'token_embd.weight');
    expect(embedding?.dimensionsAt.map((at) => Number(original.readBigUInt64LE(at)))[0]).toBe(256);
    expect(end).toBeGreaterThan(fields.at(-1)?.valueAt ?? 0);
    expect(end).toBeLessThan(original.length);
  });
});

describe('a mutated GGUF file', () => {
  it('is the same for the same dice, and leaves the original as it is', () => {
    const before = Buffer.from(original);
    const mutant = (seed: number) => mutateGguf(original, createDice(seed));
    expect(mutant(1).file.equals(mutant(1).file)).toBe(true);
    expect(mutant(1).change).not.toBe(mutant(2).change);
    expect(original.equals(before)).toBe(true);
  });

  it('differs in the header alone, apart from being cut off', { tags: 'slow' }, () => {
    const { end } = readLayout(original);
    const mutants = Array.from({ length: 200 }, (_, seed) => mutateGguf(original, createDice(seed)));
    const whole = mutants.filter(({ file }) => file.length === original.length);
    expect(whole.length).toBeGreaterThan(180);
    expect(whole.every(({ file }) => file.subarray(end).equals(original.subarray(end)))).toBe(true);
    const changed = whole.filter(({ file }) => !file.equals(original));
    // The random byte may equal the original one.
    expect(changed.length).toBeGreaterThan(0.9 * whole.length);
  });
});
