import { makeRandom, type Random } from '../random.ts';
import {
  flag,
  float16Tensor,
  float32,
  float32s,
  float32Tensor,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
  text,
  uint32,
  writeChunks,
} from './gguf-writer.ts';
import { matrix, ones, type TransformerShape, values, vector } from './random-transformer.ts';
import { tinyShape } from './tiny-weights.ts';

export interface ProjectorOptions {
  seed?: number;
  /** The width of the text model; by default that of the tiny model. */
  embeddingLength?: number;
}

export interface VisionProjectorOptions extends ProjectorOptions {
  /** Default `tiny`. */
  size?: keyof typeof VISION;
}

interface EncoderShape extends TransformerShape {
  /** Side of a patch, and of the image, in pixels. */
  patch: number;
  image: number;
}

/**
 * The sizes of projectors: `tiny` for tests, `base` for benchmarks (CLIP's ViT-B/16). LLaVA leaves out the last layer.
 */
const VISION = {
  tiny: { width: 32, hidden: 64, layers: 2, heads: 2, patch: 16, image: 64 },
  base: { width: 768, hidden: 3072, layers: 13, heads: 12, patch: 16, image: 224 },
} satisfies Record<string, EncoderShape>;

/**
 * The tiny projectors turn an image of any size, and each half minute of a recording, into this many tokens. A part of
 * half a minute counts as a whole one.
 */
export const TOKENS_PER_IMAGE = 16;
export const TOKENS_PER_RECORDING = 30;

/** The `block` projector makes this many tokens of an image, which attend to one another in both directions. */
export const TOKENS_PER_BLOCK = 16;

const AUDIO: TransformerShape = { width: 32, hidden: 64, layers: 2, heads: 2 };
const EPSILON = 1e-5;

const COLOURS = 3;

/**
 * Whisper takes windows of half a minute: 3000 frames of 80 frequencies each. The convolutions halve the number of
 * frames.
 */
const FREQUENCIES = 80;
const PLACES = 1500;
const KERNEL = 3;

/** Writes a LLaVA projector with random weights: a vision transformer, and a layer that turns patches into tokens. */
export function writeVisionProjector(path: string, options: VisionProjectorOptions = {}): void {
  const { seed = 1, embeddingLength = tinyShape.width, size = 'tiny' } = options;
  const random = makeRandom(seed);
  const shape = VISION[size];
  const { width, patch, image } = shape;
  write(path, visionEntries('mlp', shape, embeddingLength), [
    patchFilter('v.patch_embd.weight', shape, random),
    matrix('v.position_embd.weight', width, (image / patch) ** 2, random),
    ...encoderTensors('v', shape, random),
    matrix('mm.0.weight', width, embeddingLength, random),
    vector('mm.0.bias', embeddingLength, random),
    matrix('mm.2.weight', embeddingLength, embeddingLength, random),
    vector('mm.2.bias', embeddingLength, random),
  ]);
}

/** The side of the squares of patches that become one token. */
const MERGED = { grid: 2, block: 4 };

/**
 * Writes a tiny projector like that of Qwen2-VL, with random weights: a token for every 32 x 32 pixels, and positions in
 * rows and columns. Its model needs M-RoPE.
 */
export function writeGridProjector(
  path: string,
  { seed = 1, embeddingLength = tinyShape.width }: ProjectorOptions = {},
) {
  const random = makeRandom(seed);
  const shape = VISION.tiny;
  const merged = shape.width * MERGED.grid ** 2;
  const filter = (name: string) => patchFilter(name, shape, random);
  write(path, visionEntries('qwen2vl_merger', shape, embeddingLength), [
    filter('v.patch_embd.weight'),
    filter('v.patch_embd.weight.1'),
    ...encoderTensors('v', shape, random),
    matrix('mm.0.weight', merged, merged, random),
    vector('mm.0.bias', merged, random),
    matrix('mm.2.weight', merged, embeddingLength, random),
    vector('mm.2.bias', embeddingLength, random),
  ]);
}

/** Writes a tiny projector like that of Gemma 3, with random weights: `TOKENS_PER_BLOCK` tokens of each image. */
export function writeBlockProjector(
  path: string,
  { seed = 1, embeddingLength = tinyShape.width }: ProjectorOptions = {},
) {
  const random = makeRandom(seed);
  const shape = { ...VISION.tiny, image: VISION.tiny.patch * MERGED.block * Math.sqrt(TOKENS_PER_BLOCK) };
  const { width, patch, image } = shape;
  const entries = {
    ...visionEntries('gemma3', shape, embeddingLength),
    'clip.vision.projector.scale_factor': uint32(MERGED.block),
  };
  write(path, entries, [
    patchFilter('v.patch_embd.weight', shape, random),
    vector('v.patch_embd.bias', width, random),
    matrix('v.position_embd.weight', width, (image / patch) ** 2, random),
    ...encoderTensors('v', shape, random),
    ones('mm.soft_emb_norm.weight', width),
    matrix('mm.input_projection.weight', embeddingLength, width, random),
  ]);
}

/**
 * Writes a tiny Ultravox projector with random weights: Whisper's encoder, and a layer that makes one token of many
 * places.
 */
export function writeAudioProjector(path: string, options: ProjectorOptions = {}): void {
  const { seed = 1, embeddingLength = tinyShape.width } = options;
  const random = makeRandom(seed);
  const { width, hidden } = AUDIO;
  const stacked = PLACES / TOKENS_PER_RECORDING;
  const entries = {
    ...commonEntries('audio', 'ultravox', AUDIO, embeddingLength),
    'clip.audio.num_mel_bins': uint32(FREQUENCIES),
    'clip.audio.projector.stack_factor': uint32(stacked),
  };
  write(path, entries, [
    ...convolution('a.conv1d.1', FREQUENCIES, random),
    ...convolution('a.conv1d.2', width, random),
    matrix('a.position_embd.weight', width, PLACES, random),
    ...encoderTensors('a', AUDIO, random),
    ones('mm.a.norm_pre.weight', width * stacked),
    matrix('mm.a.mlp.1.weight', width * stacked, 2 * hidden, random),
    ones('mm.a.norm_mid.weight', hidden),
    matrix('mm.a.mlp.2.weight', hidden, embeddingLength, random),
  ]);
}

function visionEntries(type: string, shape: EncoderShape, embeddingLength: number): GgufEntries {
  return {
    ...commonEntries('vision', type, shape, embeddingLength),
    'clip.vision.image_size': uint32(shape.image),
    'clip.vision.patch_size': uint32(shape.patch),
    'clip.vision.image_mean': float32s([0.5, 0.5, 0.5]),
    'clip.vision.image_std': float32s([0.25, 0.25, 0.25]),
  };
}

/** Makes the filter that turns each patch into the first vector of the encoder. */
function patchFilter(name: string, { patch, width }: EncoderShape, random: Random): GgufTensor {
  const pixels = patch * patch * COLOURS;
  return float32Tensor(name, [patch, patch, COLOURS, width], values(pixels * width, Math.sqrt(3 / pixels), random));
}

function commonEntries(
  sense: 'vision' | 'audio',
  type: string,
  shape: TransformerShape,
  embeddingLength: number,
): GgufEntries {
  return {
    'general.architecture': text('clip'),
    'general.type': text('mmproj'),
    'general.name': text(`Test projector for ${sense}`),
    'general.file_type': uint32(0),
    [`clip.has_${sense}_encoder`]: flag(true),
    'clip.projector_type': text(type),
    'clip.use_gelu': flag(true),
    [`clip.${sense}.embedding_length`]: uint32(shape.width),
    [`clip.${sense}.feed_forward_length`]: uint32(shape.hidden),
    [`clip.${sense}.block_count`]: uint32(shape.layers),
    [`clip.${sense}.attention.head_count`]: uint32(shape.heads),
    [`clip.${sense}.attention.layer_norm_epsilon`]: float32(EPSILON),
    [`clip.${sense}.projection_dim`]: uint32(embeddingLength),
  };
}

/** Makes the transformer blocks. Whisper's have no bias for keys. */
function encoderTensors(prefix: 'v' | 'a', { width, hidden, layers }: TransformerShape, random: Random): GgufTensor[] {
  const layer = (name: string, inputs: number, outputs: number) => [
    matrix(`${name}.weight`, inputs, outputs, random),
    vector(`${name}.bias`, outputs, random),
  ];
  const block = (index: number): GgufTensor[] => {
    const name = (part: string) => `${prefix}.blk.${index}.${part}`;
    return [
      ...norm(name('ln1')),
      ...layer(name('attn_q'), width, width),
      ...layer(name('attn_k'), width, width).slice(0, prefix === 'a' ? 1 : 2),
      ...layer(name('attn_v'), width, width),
      ...layer(name('attn_out'), width, width),
      ...norm(name('ln2')),
      ...layer(name('ffn_up'), width, hidden),
      ...layer(name('ffn_down'), hidden, width),
    ];
  };
  const norm = (name: string) => [ones(`${name}.weight`, width), vector(`${name}.bias`, width, random)];
  return [...Array.from({ length: layers }, (_, index) => block(index)).flat(), ...norm(`${prefix}.post_ln`)];
}

/** llama.cpp accepts convolution kernels in F16 only. */
function convolution(name: string, inputs: number, random: Random): GgufTensor[] {
  const { width } = AUDIO;
  const size = KERNEL * inputs;
  return [
    float16Tensor(`${name}.weight`, [KERNEL, inputs, width], values(size * width, Math.sqrt(3 / size), random)),
    float32Tensor(`${name}.bias`, [1, width], values(width, 1 / 8, random)),
  ];
}

function write(path: string, entries: GgufEntries, tensors: GgufTensor[]): void {
  writeChunks(path, ggufChunks(entries, tensors));
}
