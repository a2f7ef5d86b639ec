import { float32, type GgufEntries, ggufChunks, text, writeChunks } from './gguf-writer.ts';
import { CODE, matrix, WIDTH } from './tiny-weights.ts';

export interface TinyAdapterOptions {
  /**
   * The dimensions of a token's code, from 2 to 15, whose signs the adapter flips in the values of the attention.
   * Adapters with other dimensions give other texts.
   */
  flips: number[];
  /** llama.cpp multiplies the scale by alpha and divides it by the rank. By default both are equal. */
  alpha?: number;
  /** The block whose weights it changes. The tiny model has only block 0. */
  block?: number;
  /** Metadata in place of its own. */
  entries?: GgufEntries;
}

/**
 * Writes a LoRA adapter for the tiny model. It changes the values in the KV cache, so a text shows which adapter its
 * prompt was evaluated with. With a scale of 1, the arithmetic of the tiny model stays exact.
 */
export function writeTinyAdapter(path: string, { flips, alpha, block = 0, entries = {} }: TinyAdapterOptions): void {
  const rank = flips.length;
  const name = `blk.${block}.attn_v.weight`;
  const metadata = {
    'general.architecture': text('qwen2'),
    'general.type': text('adapter'),
    'adapter.type': text('lora'),
    'adapter.lora.alpha': float32(alpha ?? rank),
    ...entries,
  };
  // Each row of the rank takes one dimension out of the code, and subtracts it twice.
  const tensors = [
    matrix(`${name}.lora_a`, WIDTH, rank, (input, row) => Number(input === flips[row])),
    matrix(`${name}.lora_b`, rank, CODE, (row, output) => (output === flips[row] ? -2 : 0)),
  ];
  writeChunks(path, ggufChunks(metadata, tensors));
}
