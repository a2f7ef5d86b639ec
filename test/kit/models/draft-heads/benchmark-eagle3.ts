import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { benchmarkTensors, halfBillionShape, type Quantization } from '../benchmark-weights.ts';
import {
  flag,
  float16Tensor,
  float32Tensor,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
  int32s,
  int64Tensor,
  tensorBytes,
  uint32,
  writeChunks,
} from '../gguf-writer.ts';
import { architectureEntries } from '../tiny-model.ts';
import { makeVocabulary, tokenizerEntries } from '../vocabulary.ts';

export interface BenchmarkEagle3Options {
  /** The number of tokens in the vocabulary. */
  vocabularySize: number;
  /** The number of tokens that the draft model can guess. */
  guessedSize: number;
  /** The format of the matrices. */
  quantization: Quantization;
  /** True if the draft model guesses all tokens right, false if it guesses all wrong. */
  draftsRight: boolean;
}

/** The token of a single byte is its value. */
const LINE_BREAK = 10;
/** The number of tokens that the model writes before it repeats itself. */
const CIRCLE = 4000;
/** The layers whose inputs the draft model reads, as in the drafts of published models of 24 layers. */
const TARGET_LAYERS = [2, 12, 21];
const SHAPE = halfBillionShape;
/** Queries and keys are the embedding times this, so that a token attends to itself and its equals alone. */
const SHARPNESS = 4;

/**
 * Writes a Llama of half a billion parameters and, beside it, its EAGLE-3 draft model with a `model.json` that names it. The layers of the
 * Llama add nothing, but cost their time. Each token is followed by another one. The draft model leaves out the hidden row, copies
 * its token's embedding by attention, and maps it to the token after it, or to another one.
 */
export function writeBenchmarkEagle3(path: string, options: BenchmarkEagle3Options): void {
  const { vocabularySize, quantization } = options;
  const vocabulary = makeVocabulary(vocabularySize);
  const size = vocabulary.tokens.length;
  // The line break that ends a chat prompt comes first.
  const circle = [LINE_BREAK, ...Array.from({ length: CIRCLE }, (_, index) => size - CIRCLE + index)];
  const tensors = benchmarkTensors({ shape: SHAPE, quantization, vocabularySize: size, seed: 1, circle });
  const common = { 'general.file_type': uint32(7), ...tokenizerEntries(vocabulary) };
  const entries = { ...architectureEntries('Benchmark model', SHAPE, 32_768, 'llama'), ...common };
  const folder = dirname(path);
  writeChunks(
    join(folder, 'draft.gguf'),
    ggufChunks({ ...draftEntries(), ...common }, draftTensors(tensors, size, options)),
  );
  writeFileSync(join(folder, 'model.json'), JSON.stringify({ settings: { draft_model: 'draft.gguf' } }));
  writeChunks(path, ggufChunks(entries, tensors));
}

function draftEntries(): GgufEntries {
  // Each head has keys and values of its own, so that attention copies all of an embedding.
  const shape = { ...SHAPE, layers: 1, keyHeads: SHAPE.heads };
  return {
    ...architectureEntries('Benchmark draft model', shape, 32_768, 'eagle3'),
    'eagle3.target_layers': int32s(TARGET_LAYERS),
    'eagle3.target_hidden_size': uint32(SHAPE.width),
    'eagle3.norm_before_residual': flag(true),
  };
}

function draftTensors(
  target: readonly GgufTensor[],
  size: number,
  { guessedSize, draftsRight }: BenchmarkEagle3Options,
): GgufTensor[] {
  const { width, hidden } = SHAPE;
  const same = (name: string) => {
    const tensor = target.find((each) => each.name === name);
    if (!tensor) throw new Error(`the model has no ${name}`);
    return tensor;
  };
  const vector = (name: string, value: number) => float32Tensor(name, [width], new Float32Array(width).fill(value));
  // The embedding comes first, then the hidden row.
  const scaled = (name: string, inputs: number, factor: number) =>
    float16Tensor(
      name,
      [inputs, width],
      Float32Array.from({ length: inputs * width }, (_, index) =>
        index % inputs === Math.floor(index / inputs) ? factor : 0,
      ),
    );
  const guessed = [
    LINE_BREAK,
    ...Array.from({ length: guessedSize - 1 }, (_, index) => size - guessedSize + 1 + index),
  ];
  return [
    cutTo('fc.weight', [TARGET_LAYERS.length * width, width], same('blk.0.ffn_gate.weight')),
    vector('output_norm.weight', 1),
    rowsOf(same('output.weight'), guessed),
    int64Tensor('d2t', guessed),
    vector('blk.0.attn_norm.weight', 1),
    vector('blk.0.attn_norm_2.weight', 0),
    scaled('blk.0.attn_q.weight', 2 * width, SHARPNESS),
    scaled('blk.0.attn_k.weight', 2 * width, SHARPNESS),
    scaled('blk.0.attn_v.weight', 2 * width, 1),
    // The embedding's negative makes other tokens the most likely ones.
    scaled('blk.0.attn_output.weight', width, draftsRight ? 1 : -1),
    vector('blk.0.ffn_norm.weight', 1),
    cutTo('blk.0.ffn_gate.weight', [width, hidden], same('blk.0.ffn_gate.weight')),
    cutTo('blk.0.ffn_up.weight', [width, hidden], same('blk.0.ffn_up.weight')),
    cutTo('blk.0.ffn_down.weight', [hidden, width], same('blk.0.ffn_down.weight')),
  ];
}

/** Returns a matrix with the first of another one's weights. */
function cutTo(name: string, shape: number[], { type, chunks }: GgufTensor): GgufTensor {
  const length = tensorBytes({ type, shape });
  return { name, type, shape, chunks: () => [Buffer.concat([...chunks()]).subarray(0, length)] };
}

/** Returns some rows of a matrix. */
function rowsOf(matrix: GgufTensor, rows: readonly number[]): GgufTensor {
  const [inputs = 0] = matrix.shape;
  const bytes = tensorBytes({ ...matrix, shape: [inputs] });
  function* chunks(): Generator<Uint8Array> {
    const all = Buffer.concat([...matrix.chunks()]);
    for (const row of rows) yield all.subarray(row * bytes, (row + 1) * bytes);
  }
  return { ...matrix, shape: [inputs, rows.length], chunks };
}
