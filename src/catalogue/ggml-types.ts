import { GGMLQuantizationType as Type } from '@huggingface/gguf';

/** How ggml stores numbers: elements per block and bytes per block, by type. */
const BLOCKS: Record<number, [elements: number, bytes: number]> = {
  [Type.F32]: [1, 4],
  [Type.F16]: [1, 2],
  [Type.Q4_0]: [32, 18],
  [Type.Q4_1]: [32, 20],
  [Type.Q5_0]: [32, 22],
  [Type.Q5_1]: [32, 24],
  [Type.Q8_0]: [32, 34],
  [Type.Q8_1]: [32, 36],
  [Type.Q2_K]: [256, 84],
  [Type.Q3_K]: [256, 110],
  [Type.Q4_K]: [256, 144],
  [Type.Q5_K]: [256, 176],
  [Type.Q6_K]: [256, 210],
  [Type.Q8_K]: [256, 292],
  [Type.IQ2_XXS]: [256, 66],
  [Type.IQ2_XS]: [256, 74],
  [Type.IQ3_XXS]: [256, 98],
  [Type.IQ1_S]: [256, 50],
  [Type.IQ4_NL]: [32, 18],
  [Type.IQ3_S]: [256, 110],
  [Type.IQ2_S]: [256, 82],
  [Type.IQ4_XS]: [256, 136],
  [Type.I8]: [1, 1],
  [Type.I16]: [1, 2],
  [Type.I32]: [1, 4],
  [Type.I64]: [1, 8],
  [Type.F64]: [1, 8],
  [Type.IQ1_M]: [256, 56],
  [Type.BF16]: [1, 2],
  [Type.TQ1_0]: [256, 54],
  [Type.TQ2_0]: [256, 66],
  [Type.MXFP4]: [32, 17],
};

/** The bytes that a tensor's data takes at least; 0 for a type that is not known here. */
export function tensorBytes(type: number, elements: number): number {
  const [perBlock, bytes] = BLOCKS[type] ?? [1, 0];
  return Math.ceil(elements / perBlock) * bytes;
}
