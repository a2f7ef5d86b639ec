import { GGMLFileQuantizationType, GGMLQuantizationType as Type } from '@huggingface/gguf';
import { describe, expect, it } from 'vitest';
import { fileTypeName, tensorBytes } from '../../src/gguf/ggml-types.ts';

describe("ggml's types", () => {
  it("of files have llama.cpp's names", () => {
    const named = Array.from({ length: 64 }, (_, type) => [type, fileTypeName(type)] as const).filter(
      ([, name]) => name,
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named).toEqual(named.map(([type]) => [type, GGMLFileQuantizationType[type]]));
    expect(fileTypeName(undefined)).toBeUndefined();
    expect(fileTypeName(9999)).toBeUndefined();
  });

  it.each<[Type, number]>([
    [Type.F32, 32],
    [Type.F16, 16],
    [Type.BF16, 16],
    [Type.Q8_0, 8.5],
    [Type.Q4_0, 4.5],
    [Type.Q4_K, 4.5],
    [Type.Q6_K, 6.5625],
    [Type.Q2_K, 2.625],
    [Type.IQ4_XS, 4.25],
    [Type.IQ2_XXS, 2.0625],
    [Type.MXFP4, 4.25],
  ])('of number %d take %d bits per weight', (type, bits) => {
    expect((tensorBytes(type, 4096) * 8) / 4096).toBe(bits);
  });

  it.each([
    ['NVFP4', 40, 4.5],
    ['Q1_0', 41, 1.125],
    ['Q2_0', 42, 2.25],
  ])('of the newest kinds: %s, number %d, takes %d bits per weight', (_, type, bits) => {
    expect((tensorBytes(type, 4096) * 8) / 4096).toBe(bits);
  });

  it('that are not known count as 0 bytes, so that no complete file is called incomplete because of them', () => {
    expect(tensorBytes(9999, 4096)).toBe(0);
  });
});
