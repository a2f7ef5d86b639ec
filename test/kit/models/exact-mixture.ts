import { makeRandom, type Random } from '../random.ts';
import {
  float32,
  float32Tensor,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
  uint32,
  writeChunks,
} from './gguf-writer.ts';
import { architectureEntries } from './tiny-model.ts';
import {
  down,
  filled,
  gate,
  HIDDEN,
  matrix,
  tinyShape,
  tinyTensors,
  up,
  vector,
  type Weight,
  WIDTH,
} from './tiny-weights.ts';
import { makeVocabulary, tokenizerEntries } from './vocabulary.ts';

const EXPERTS = 4;
/** The router's preference: with this difference, one expert has a softmax weight of exactly 1. */
const PREFERENCE = 128;
/** Signs of the latest token's code, which choose the expert. */
const CHOOSING = [2, 3];

/**
 * Writes the tiny model as a Qwen2 mixture of experts, with the same exact arithmetic: its texts are the same on all
 * devices. Two signs of the latest token choose one of four experts. A second layer has as many tensors and adds nothing.
 */
export function writeExactMixture(path: string, seed = 1): void {
  const vocabulary = makeVocabulary();
  const entries: GgufEntries = {
    ...architectureEntries('Tiny mixture of experts', { ...tinyShape, layers: 2 }, 1024, 'qwen2moe'),
    'general.file_type': uint32(0),
    'qwen2moe.expert_count': uint32(EXPERTS),
    'qwen2moe.expert_used_count': uint32(1),
    'qwen2moe.expert_feed_forward_length': uint32(HIDDEN),
    'qwen2moe.expert_shared_feed_forward_length': uint32(WIDTH),
    'qwen2moe.expert_weights_scale': float32(1),
    ...tokenizerEntries(vocabulary),
  };
  const dense = tinyTensors(vocabulary, seed).filter(({ name }) => !/ffn_(gate|up|down)/.test(name));
  const first = dense.filter(({ name }) => name.startsWith('blk.0.'));
  const second = first.map(({ name, ...tensor }) => ({ ...tensor, name: name.replace('blk.0.', 'blk.1.') }));
  const random = makeRandom(seed + 1);
  const tensors = [
    ...dense,
    ...mixtureLayer('blk.0', random, down),
    ...second.map((tensor) =>
      tensor.name === 'blk.1.attn_output.weight' ? matrix(tensor.name, WIDTH, WIDTH, () => 0) : tensor,
    ),
    ...mixtureLayer('blk.1', random, () => 0),
  ];
  writeChunks(path, ggufChunks(entries, tensors));
}

function mixtureLayer(layer: string, random: Random, downWeight: Weight): GgufTensor[] {
  const name = (part: string) => `${layer}.${part}.weight`;
  const nothing = () => 0;
  return [
    matrix(name('ffn_gate_inp'), WIDTH, EXPERTS, (input, expert) => {
      const bit = CHOOSING.indexOf(input);
      return bit === -1 ? 0 : PREFERENCE * ((expert >> bit) & 1 ? 1 : -1);
    }),
    experts(name('ffn_gate_exps'), WIDTH, HIDDEN, () => gate(random)),
    experts(name('ffn_up_exps'), WIDTH, HIDDEN, () => up),
    experts(name('ffn_down_exps'), HIDDEN, WIDTH, () => downWeight),
    // The shared expert adds nothing. Its gate must not be 0: llama.cpp divides by it.
    vector(name('ffn_gate_inp_shexp'), [1, ...filled(WIDTH - 1, 0)]),
    matrix(name('ffn_gate_shexp'), WIDTH, WIDTH, nothing),
    matrix(name('ffn_up_shexp'), WIDTH, WIDTH, nothing),
    matrix(name('ffn_down_shexp'), WIDTH, WIDTH, nothing),
  ];
}

function experts(name: string, inputs: number, outputs: number, weightOf: () => Weight): GgufTensor {
  const values = new Float32Array(inputs * outputs * EXPERTS);
  for (let expert = 0, at = 0; expert < EXPERTS; expert++) {
    const weight = weightOf();
    for (let output = 0; output < outputs; output++) {
      for (let input = 0; input < inputs; input++) {
        values[at] = weight(input, output);
        at += 1;
      }
    }
  }
  return float32Tensor(name, [inputs, outputs, EXPERTS], values);
}
