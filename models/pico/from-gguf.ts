import { readFileSync } from 'node:fs';
import { GGMLQuantizationType, type GGUFParseOutput, gguf } from '@huggingface/gguf';
import { dequantize, quantizedBytes } from './quantize.ts';
import type { Vocabulary } from './tokenizer.ts';
import { elements, type Matrix, type ModelConfig, stack, type Weights } from './weights.ts';

/**
 * Reads the weights and the vocabulary of a file that `toGguf` made. The weights have the rounding of Q8_0. Throws if
 * the file has other tensors.
 */
export async function fromGguf(path: string): Promise<{ weights: Weights; vocabulary: Vocabulary }> {
  const parsed = await gguf(path, { allowLocalFile: true });
  const fields = parsed.metadata as unknown as Record<string, unknown>;
  const file = readFileSync(path);
  const matrixOf = (name: string) => readMatrix(file, parsed, name);
  const tokens = fields['tokenizer.ggml.tokens'] as string[];
  const config: ModelConfig = {
    width: fields['llama.embedding_length'] as number,
    hidden: fields['llama.feed_forward_length'] as number,
    layers: fields['llama.block_count'] as number,
    heads: fields['llama.attention.head_count'] as number,
    vocabulary: tokens.length,
    frequencyBase: fields['llama.rope.freq_base'] as number,
    epsilon: fields['llama.attention.layer_norm_rms_epsilon'] as number,
  };
  const merges = (fields['tokenizer.ggml.merges'] as string[]).map((pair) => pair.split(' ') as [string, string]);
  return { weights: { config, matrices: allMatrices(config.layers, matrixOf) }, vocabulary: { tokens, merges } };
}

function allMatrices(layers: number, matrixOf: (name: string) => Matrix): Map<string, Matrix> {
  const matrices = new Map<string, Matrix>();
  const keep = (name: string, ...from: string[]) =>
    matrices.set(name, from.length === 0 ? matrixOf(name) : stack(from.map(matrixOf)));
  keep('token_embd.weight');
  keep('output_norm.weight');
  for (let layer = 0; layer < layers; layer++) {
    const at = (name: string) => `blk.${layer}.${name}.weight`;
    keep(at('attn_norm'));
    keep(at('attn_qkv'), at('attn_q'), at('attn_k'), at('attn_v'));
    keep(at('attn_output'));
    keep(at('ffn_norm'));
    keep(at('ffn_gate_up'), at('ffn_gate'), at('ffn_up'));
    keep(at('ffn_down'));
  }
  return matrices;
}

function readMatrix(file: Buffer, { tensorInfos, tensorDataOffset }: GGUFParseOutput, name: string): Matrix {
  const info = tensorInfos.find((tensor) => tensor.name === name);
  if (!info) throw new Error(`the file has no ${name}`);
  const shape = info.shape.map(Number).reverse();
  const count = elements(shape);
  const quantized = info.dtype === GGMLQuantizationType.Q8_0;
  if (!quantized && info.dtype !== GGMLQuantizationType.F32) throw new Error(`${name} is neither Q8_0 nor F32`);
  const start = Number(tensorDataOffset + info.offset);
  const bytes = Uint8Array.from(file.subarray(start, start + (quantized ? quantizedBytes(count) : 4 * count)));
  return { shape, values: quantized ? dequantize(bytes) : new Float32Array(bytes.buffer) };
}
