import type { Random } from '../random.ts';
import { float32Tensor, type GgufTensor } from './gguf-writer.ts';

export interface TransformerShape {
  width: number;
  hidden: number;
  layers: number;
  heads: number;
}

/** Makes the tensors of a decoder with random weights. The token embedding also serves as the output layer. */
export function transformerTensors(
  architecture: 'qwen2' | 'qwen3',
  { width, hidden, layers, heads }: TransformerShape,
  vocabularySize: number,
  random: Random,
): GgufTensor[] {
  const head = width / heads;
  const block = (layer: number): GgufTensor[] => {
    const name = (part: string) => `blk.${layer}.${part}`;
    return [
      ones(name('attn_norm.weight'), width),
      matrix(name('attn_q.weight'), width, width, random),
      matrix(name('attn_k.weight'), width, width, random),
      matrix(name('attn_v.weight'), width, width, random),
      ...(architecture === 'qwen2'
        ? ['q', 'k', 'v'].map((part) => vector(name(`attn_${part}.bias`), width, random))
        : ['q', 'k'].map((part) => ones(name(`attn_${part}_norm.weight`), head))),
      matrix(name('attn_output.weight'), width, width, random),
      ones(name('ffn_norm.weight'), width),
      matrix(name('ffn_gate.weight'), width, hidden, random),
      matrix(name('ffn_up.weight'), width, hidden, random),
      matrix(name('ffn_down.weight'), hidden, width, random),
    ];
  };
  return [
    matrix('token_embd.weight', width, vocabularySize, random),
    ...Array.from({ length: layers }, (_, layer) => block(layer)).flat(),
    ones('output_norm.weight', width),
  ];
}

/** Makes the tensors of a BERT with random weights and one vector for each position. */
export function encoderTensors(
  { width, hidden, layers }: TransformerShape,
  vocabularySize: number,
  contextLength: number,
  random: Random,
): GgufTensor[] {
  const norm = (name: string) => [ones(`${name}.weight`, width), vector(`${name}.bias`, width, random)];
  const layer = (name: string, inputs: number, outputs: number) => [
    matrix(`${name}.weight`, inputs, outputs, random),
    vector(`${name}.bias`, outputs, random),
  ];
  const block = (index: number): GgufTensor[] => [
    ...['q', 'k', 'v', 'output'].flatMap((part) => layer(`blk.${index}.attn_${part}`, width, width)),
    ...norm(`blk.${index}.attn_output_norm`),
    ...layer(`blk.${index}.ffn_up`, width, hidden),
    ...layer(`blk.${index}.ffn_down`, hidden, width),
    ...norm(`blk.${index}.layer_output_norm`),
  ];
  return [
    matrix('token_embd.weight', width, vocabularySize, random),
    matrix('position_embd.weight', width, contextLength, random),
    ...norm('token_embd_norm'),
    ...Array.from({ length: layers }, (_, index) => block(index)).flat(),
  ];
}

/** Makes the head that turns a text's vector into its score: two probabilities with the sum 1, or one number. */
export function headTensors(architecture: 'qwen3' | 'bert', { width }: TransformerShape, random: Random): GgufTensor[] {
  return architecture === 'qwen3'
    ? [matrix('cls.output.weight', width, 2, random)]
    : [
        matrix('cls.weight', width, width, random),
        vector('cls.bias', width, random),
        matrix('cls.output.weight', width, 1, random),
        vector('cls.output.bias', 1, random),
      ];
}

/** Makes a random matrix, scaled so that the outputs are about as large as the inputs. */
export function matrix(name: string, inputs: number, outputs: number, random: Random): GgufTensor {
  return float32Tensor(name, [inputs, outputs], values(inputs * outputs, Math.sqrt(3 / inputs), random));
}

/** Makes a vector of small random numbers. */
export function vector(name: string, length: number, random: Random): GgufTensor {
  return float32Tensor(name, [length], values(length, 1 / 8, random));
}

/** Makes the weights of a norm. */
export function ones(name: string, length: number): GgufTensor {
  return float32Tensor(name, [length], new Float32Array(length).fill(1));
}

/** Returns uniform random numbers between -`bound` and `bound`. */
export function values(length: number, bound: number, random: Random): Float32Array {
  return Float32Array.from({ length }, () => (random() / 2 ** 31 - 1) * bound);
}

/** The sizes of a mixture of experts, of which each token takes some. */
export interface MixtureShape extends TransformerShape {
  keyHeads: number;
  experts: number;
  /** The length of an expert's hidden layer. */
  expertHidden: number;
}

/** Makes the tensors of a Qwen3 mixture of experts with random weights. */
export function mixtureTensors(shape: MixtureShape, vocabularySize: number, random: Random): GgufTensor[] {
  const { width, layers, heads, keyHeads, experts, expertHidden } = shape;
  const head = width / heads;
  const cube = (name: string, inputs: number, outputs: number) =>
    float32Tensor(name, [inputs, outputs, experts], values(inputs * outputs * experts, Math.sqrt(3 / inputs), random));
  const block = (layer: number): GgufTensor[] => {
    const name = (part: string) => `blk.${layer}.${part}.weight`;
    return [
      ones(name('attn_norm'), width),
      matrix(name('attn_q'), width, width, random),
      matrix(name('attn_k'), width, head * keyHeads, random),
      matrix(name('attn_v'), width, head * keyHeads, random),
      ...['q', 'k'].map((part) => ones(name(`attn_${part}_norm`), head)),
      matrix(name('attn_output'), width, width, random),
      ones(name('ffn_norm'), width),
      matrix(name('ffn_gate_inp'), width, experts, random),
      cube(name('ffn_gate_exps'), width, expertHidden),
      cube(name('ffn_up_exps'), width, expertHidden),
      cube(name('ffn_down_exps'), expertHidden, width),
    ];
  };
  return [
    matrix('token_embd.weight', width, vocabularySize, random),
    ...Array.from({ length: layers }, (_, layer) => block(layer)).flat(),
    ones('output_norm.weight', width),
    matrix('output.weight', width, vocabularySize, random),
  ];
}
