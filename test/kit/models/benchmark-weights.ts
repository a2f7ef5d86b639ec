import { makeRandom } from '../random.ts';
import { float32Tensor, type GgufTensor, tensorBytes } from './gguf-writer.ts';

/** The sizes of a decoder of Qwen2's architecture. */
export interface DecoderShape {
  width: number;
  hidden: number;
  layers: number;
  heads: number;
  keyHeads: number;
  frequencyBase: number;
  epsilon: number;
}

/** The sizes of Qwen2 0.5B. */
export const halfBillionShape: DecoderShape = {
  width: 896,
  hidden: 4864,
  layers: 24,
  heads: 14,
  keyHeads: 2,
  frequencyBase: 1_000_000,
  epsilon: 1e-6,
};

/** A smaller model of the same kind. All its rows are whole blocks of Q4_K. */
export const tenthBillionShape: DecoderShape = {
  width: 768,
  hidden: 2048,
  layers: 12,
  heads: 12,
  keyHeads: 4,
  frequencyBase: 1_000_000,
  epsilon: 1e-6,
};

/** The sizes of Qwen3 0.6B. All its rows are whole blocks of Q4_K and Q6_K, unlike those of `halfBillionShape`. */
export const sixTenthsBillionShape: DecoderShape = {
  width: 1024,
  hidden: 3072,
  layers: 28,
  heads: 16,
  keyHeads: 8,
  frequencyBase: 1_000_000,
  epsilon: 1e-6,
};

/** One small layer. With a large vocabulary, a step takes the time that the host spends on it, as beside a GPU. */
export const oneLayerShape: DecoderShape = {
  width: 64,
  hidden: 128,
  layers: 1,
  heads: 2,
  keyHeads: 1,
  frequencyBase: 1_000_000,
  epsilon: 1e-6,
};

/** The sizes of Qwen2.5 3B, for graphics cards in a browser. */
export const threeBillionShape: DecoderShape = {
  width: 2048,
  hidden: 11_008,
  layers: 36,
  heads: 16,
  keyHeads: 2,
  frequencyBase: 1_000_000,
  epsilon: 1e-6,
};

/** The sizes of Qwen2.5 7B, for GPUs. */
export const sevenBillionShape: DecoderShape = {
  width: 3584,
  hidden: 18_944,
  layers: 28,
  heads: 28,
  keyHeads: 4,
  frequencyBase: 1_000_000,
  epsilon: 1e-6,
};

/** The format of a model's matrices. `Q4_K_M` is Q4_K with some matrices in Q6_K, as most published files are. */
export type Quantization = 'Q8_0' | 'Q6_K' | 'Q4_K' | 'Q4_K_M';

type BlockType = 'Q8_0' | 'Q6_K' | 'Q5_0' | 'Q4_K';

/**
 * The number of blocks in a pool of random weights. It is a prime, so that the rows of a matrix start at different
 * blocks. It is larger than the number of tokens, so that no two tokens have equal weights: with equal logits,
 * different programs may choose different tokens.
 */
const POOL_BLOCKS = 152_003;
/** The elements of a block of Q4_K or Q6_K. */
const ELEMENTS_OF_K = 256;

/**
 * The layout of the blocks of a type: their size in bytes, and the bytes before and after the random weights. With uniform
 * weights, these scales give a standard deviation of about 1 / sqrt(width).
 */
const BLOCKS: Record<BlockType, { bytes: number; front: number[]; back?: number[] }> = {
  // The scale 2^-11 as a half float.
  Q8_0: { bytes: 34, front: [0x00, 0x10] },
  // The scale 2^-8.
  Q5_0: { bytes: 22, front: [0x00, 0x1c] },
  // At the end sixteen scales of 32, each times 2^-14: a weight is 2^-9 * q for q from -32 to 31.
  Q6_K: { bytes: 210, front: [], back: [...Array(16).fill(32), 0x00, 0x04] },
  // The scale of the scales and that of the minima, both 2^-10. Then eight times the scale 8 and the minimum 60, in 6
  // bits each: a weight is 2^-10 * (8 * q - 60) for q from 0 to 15, so the mean is 0.
  Q4_K: { bytes: 144, front: [0x00, 0x14, 0x00, 0x14, 8, 8, 8, 8, 252, 252, 252, 252, 200, 200, 200, 200] },
};

export interface BenchmarkWeights {
  shape: DecoderShape;
  quantization: Quantization;
  vocabularySize: number;
  seed: number;
  /** The tokens that the model writes in an endless circle. Without it, replies are random. */
  circle?: number[];
}

/**
 * Makes random weights. The embedding also serves as the output layer. With Q4_K it stays in Q8_0. Rows that are not
 * whole blocks become Q5_0 in place of Q4_K, and Q8_0 in place of Q6_K, as in llama.cpp's own quantization.
 *
 * With a `circle`, the layers cost the same time but add nothing, and a separate output layer makes each token of the
 * circle the most likely one after its predecessor.
 */
export function benchmarkTensors(weights: BenchmarkWeights): GgufTensor[] {
  const { shape, quantization, vocabularySize, seed, circle } = weights;
  const { width, hidden, layers, heads, keyHeads } = shape;
  const keyWidth = (width / heads) * keyHeads;
  const pools = createPools(seed);
  const matrix = (name: string, inputs: number, outputs: number) =>
    pools[blockType(quantization, name, inputs, layers)](name, [inputs, outputs]);
  const vector = (name: string, length: number, value: number) =>
    float32Tensor(name, [length], new Float32Array(length).fill(value));
  /** A matrix whose output is added to the residual stream. */
  const adding = (name: string, inputs: number, outputs: number) =>
    circle ? zeros(matrix(name, inputs, outputs)) : matrix(name, inputs, outputs);
  const block = (index: number) => [
    vector(`blk.${index}.attn_norm.weight`, width, 1),
    matrix(`blk.${index}.attn_q.weight`, width, width),
    vector(`blk.${index}.attn_q.bias`, width, 0),
    matrix(`blk.${index}.attn_k.weight`, width, keyWidth),
    vector(`blk.${index}.attn_k.bias`, keyWidth, 0),
    matrix(`blk.${index}.attn_v.weight`, width, keyWidth),
    vector(`blk.${index}.attn_v.bias`, keyWidth, 0),
    adding(`blk.${index}.attn_output.weight`, width, width),
    vector(`blk.${index}.ffn_norm.weight`, width, 1),
    matrix(`blk.${index}.ffn_gate.weight`, width, hidden),
    matrix(`blk.${index}.ffn_up.weight`, width, hidden),
    adding(`blk.${index}.ffn_down.weight`, hidden, width),
  ];
  const embedding = matrix('token_embd.weight', width, vocabularySize);
  return [
    embedding,
    ...Array.from({ length: layers }, (_, index) => block(index)).flat(),
    vector('output_norm.weight', width, 1),
    ...(circle ? [rowsOf('output.weight', embedding, predecessors(circle))] : []),
  ];
}

/** Returns the format of a matrix with rows of `inputs` elements in a model of so many layers. */
function blockType(quantization: Quantization, name: string, inputs: number, layers: number): BlockType {
  const inBlocks = inputs % ELEMENTS_OF_K === 0;
  switch (wantedType(quantization, name, layers)) {
    case 'Q8_0':
      return 'Q8_0';
    case 'Q6_K':
      return inBlocks ? 'Q6_K' : 'Q8_0';
    case 'Q4_K':
      return inBlocks ? 'Q4_K' : 'Q5_0';
  }
}

function wantedType(quantization: Quantization, name: string, layers: number): 'Q8_0' | 'Q6_K' | 'Q4_K' {
  const isEmbedding = name === 'token_embd.weight';
  switch (quantization) {
    case 'Q8_0':
    case 'Q6_K':
      return quantization;
    case 'Q4_K':
      return isEmbedding ? 'Q8_0' : 'Q4_K';
    case 'Q4_K_M':
      return isEmbedding || takesMoreBits(name, layers) ? 'Q6_K' : 'Q4_K';
  }
}

/**
 * True for the matrices of a layer that Q4_K_M keeps in Q6_K: the values and the last of the feed-forward network, in
 * the first and last eighth of the layers and in each third layer between (`use_more_bits` in llama.cpp).
 */
function takesMoreBits(name: string, layers: number): boolean {
  const [, number, role] = /^blk\.(\d+)\.(.*)\.weight$/.exec(name) ?? [];
  if (number === undefined || (role !== 'attn_v' && role !== 'ffn_down')) return false;
  const layer = Number(number);
  const eighth = Math.floor(layers / 8);
  return layer < eighth || layer >= Math.floor((7 * layers) / 8) || (layer - eighth) % 3 === 2;
}

function zeros({ name, type, shape }: GgufTensor): GgufTensor {
  return { name, type, shape, chunks: () => [new Uint8Array(tensorBytes({ type, shape }))] };
}

/** Maps each token of a circle to the token before it. */
function predecessors(circle: number[]): Map<number, number> {
  return new Map(circle.map((token, index) => [token, circle.at(index - 1) ?? token]));
}

/** Returns a matrix of zeros, except for some rows, which are rows of another matrix. */
function rowsOf(name: string, matrix: GgufTensor, sources: Map<number, number>): GgufTensor {
  const { type, shape } = matrix;
  return {
    name,
    type,
    shape,
    chunks() {
      const from = Buffer.concat([...matrix.chunks()]);
      const rows = Buffer.alloc(from.length);
      const rowBytes = from.length / (shape[1] ?? 1);
      for (const [row, source] of sources) from.copy(rows, row * rowBytes, source * rowBytes, (source + 1) * rowBytes);
      return [rows];
    },
  };
}

/** Returns the makers of tensors of each type. A pool is filled when it is first used. */
function createPools(seed: number): Record<BlockType, ReturnType<typeof createPool>> {
  return {
    Q8_0: createPool('Q8_0', seed),
    Q6_K: createPool('Q6_K', seed),
    Q5_0: createPool('Q5_0', seed),
    Q4_K: createPool('Q4_K', seed),
  };
}

/**
 * Returns a maker of tensors that repeat a pool of random blocks, each from another block on. Speed depends on the
 * sizes of tensors, not on their values.
 */
function createPool(type: BlockType, seed: number) {
  let filled: Buffer | undefined;
  return (name: string, shape: number[]): GgufTensor => {
    filled ??= randomBlocks(type, seed);
    const pool = filled;
    const length = tensorBytes({ type, shape });
    function* chunks(): Generator<Uint8Array> {
      let start = Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % POOL_BLOCKS, 0) * BLOCKS[type].bytes;
      for (let left = length; left > 0; ) {
        const chunk = pool.subarray(start, start + left);
        left -= chunk.length;
        start = 0;
        yield chunk;
      }
    }
    return { name, type, shape, chunks };
  };
}

/** Makes the blocks of a pool: each has the same front and back, and random bytes between. */
function randomBlocks(type: BlockType, seed: number): Buffer {
  const { bytes, front, back = [] } = BLOCKS[type];
  const random = makeRandom(seed);
  const blocks = Buffer.alloc(POOL_BLOCKS * bytes);
  for (let start = 0; start < blocks.length; start += bytes) {
    blocks.set(front, start);
    for (let at = start + front.length; at < start + bytes - back.length; at += 4) blocks.writeUInt32LE(random(), at);
    blocks.set(back, start + bytes - back.length);
  }
  return blocks;
}
