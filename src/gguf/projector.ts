import type { Fields } from './fields.ts';

/** Figures of a projector's header, from which follow its need of memory and how it is to be loaded. */
export interface ProjectorShape {
  /** Patches of the largest image, or steps of half a minute of a recording, that it looks at together. */
  places: number;
  /** Numbers that it holds for each. */
  embeddingLength: number;
  feedForwardLength: number;
  /** Tokens that the model must read in one forward pass, because they look at one another in both directions; else 0. */
  tokensTogether: number;
  /** Whether it takes recordings. */
  audio: boolean;
}

/** They bring each image, or each part of it, to the one size that they were trained with. */
const OF_ONE_SIZE = new Set(
  'mlp ldp ldpv2 resampler adapter gemma3 gemma3nv idefics3 internvl llama4 janus_pro cogvlm yasa2 nemotron_v2_vl'.split(
    ' ',
  ),
);
/** Gemma's models look at the tokens of an image in both directions; there are 280 at most. */
const LOOKS_BOTH_WAYS = /^gemma\d+n?v?$/;
const MOST_GEMMA_TOKENS = 288;
/** Whisper's encoder, and those that followed it, take half a minute at a time. */
const AUDIO_PLACES = 1500;

/** Reads the header of a projector for images of at most `mostPixels`. */
export function readProjectorShape(fields: Fields, mostPixels: number): ProjectorShape {
  const figure = (name: string) =>
    Math.max(...['vision', 'audio'].map((sense) => fields.number(`clip.${sense}.${name}`) ?? 0));
  const types = ['clip.projector_type', 'clip.vision.projector_type'].flatMap((key) => fields.texts(key));
  const audio = fields.flag('clip.has_audio_encoder');
  return {
    places: Math.max(patches(fields, types, mostPixels), audio ? AUDIO_PLACES : 0),
    embeddingLength: figure('embedding_length'),
    feedForwardLength: figure('feed_forward_length'),
    tokensTogether: types.some((type) => LOOKS_BOTH_WAYS.test(type)) ? MOST_GEMMA_TOKENS : 0,
    audio,
  };
}

function patches(fields: Fields, types: string[], mostPixels: number): number {
  const patch = fields.number('clip.vision.patch_size') ?? 0;
  if (patch === 0) return 0;
  const trained = (fields.number('clip.vision.image_size') ?? 0) ** 2;
  const pixels = types.some((type) => OF_ONE_SIZE.has(type)) ? trained : Math.max(trained, mostPixels);
  return Math.ceil(pixels / patch ** 2);
}
