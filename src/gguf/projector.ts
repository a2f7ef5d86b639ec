import type { Fields } from './fields.ts';

/** Figures from a projector's header. Its memory and the way to load it depend on them. */
export interface ProjectorShape {
  /**
   * The most places that it attends to at once: patches of the largest image, or steps of half a minute of a recording.
   */
  places: number;
  /** The numbers that it holds for each place. */
  embeddingLength: number;
  feedForwardLength: number;
  /**
   * The number of tokens that the model must read in one forward pass because they attend to one another in both
   * directions; 0 if there is no such need.
   */
  tokensTogether: number;
  /** True if it takes recordings. */
  audio: boolean;
  /** True if the tokens of an image depend on the tokens or the images before it. */
  dependsOnPlace: boolean;
  /** The tokens of a picture of 1024 x 1024 pixels. Absent if the kind of projector is not known, or cuts pictures into parts. */
  pictureTokens?: number;
}

/** The side of the picture whose tokens `pictureTokens` counts, in pixels. */
export const USUAL_PICTURE = 1024;

/** Projectors that make a token of each square of 2 x 2 patches, however large the picture is. */
const KEEPS_SIZE = /^qwen(2|2\.5|3)vl_merger$/;

/** Projectors that scale each image, or each part of it, to the one size that they were trained with. */
const OF_ONE_SIZE = new Set(
  'mlp ldp ldpv2 resampler adapter gemma3 gemma3nv idefics3 internvl llama4 janus_pro cogvlm yasa2 nemotron_v2_vl'.split(
    ' ',
  ),
);
/** Gemma's models attend to the tokens of an image in both directions. An image has 280 tokens at most. */
const LOOKS_BOTH_WAYS = /^gemma\d+n?v?$/;
/** The most tokens of an image that have to be evaluated in one pass. */
export const MOST_TOKENS_TOGETHER = 288;
/** DeepSeek's pads an image up to the tokens before it, and HunyuanVL's numbers the images of a prompt. */
const DEPENDS_ON_PLACE = new Set(['deepseek4v', 'hunyuanvl']);
/** Whisper's encoder and its successors take half a minute at a time, in 1500 steps. */
const AUDIO_PLACES = 1500;

/** Reads the figures of a projector for images of at most `mostPixels` pixels. */
export function readProjectorShape(fields: Fields, mostPixels: number): ProjectorShape {
  const figure = (name: string) =>
    Math.max(...['vision', 'audio'].map((sense) => fields.number(`clip.${sense}.${name}`) ?? 0));
  const types = ['clip.projector_type', 'clip.vision.projector_type'].flatMap((key) => fields.texts(key));
  const audio = fields.flag('clip.has_audio_encoder');
  const pictureTokens = tokensOfPicture(fields, types);
  return {
    ...(pictureTokens !== null && { pictureTokens }),
    places: Math.max(patches(fields, types, mostPixels), audio ? AUDIO_PLACES : 0),
    embeddingLength: figure('embedding_length'),
    feedForwardLength: figure('feed_forward_length'),
    tokensTogether: types.some((type) => LOOKS_BOTH_WAYS.test(type)) ? MOST_TOKENS_TOGETHER : 0,
    audio,
    dependsOnPlace: types.some((type) => DEPENDS_ON_PLACE.has(type)),
  };
}

function patches(fields: Fields, types: string[], mostPixels: number): number {
  const patch = fields.number('clip.vision.patch_size') ?? 0;
  if (patch === 0) return 0;
  const trained = (fields.number('clip.vision.image_size') ?? 0) ** 2;
  const pixels = types.some((type) => OF_ONE_SIZE.has(type)) ? trained : Math.max(trained, mostPixels);
  return Math.ceil(pixels / patch ** 2);
}

/** Returns the tokens of a picture with sides of `USUAL_PICTURE` pixels; null if they are not known. */
function tokensOfPicture(fields: Fields, types: string[]): number | null {
  const patch = fields.number('clip.vision.patch_size') ?? 0;
  const trained = fields.number('clip.vision.image_size') ?? 0;
  const [type = ''] = types;
  if (patch === 0) return null;
  if (KEEPS_SIZE.test(type)) return Math.round(USUAL_PICTURE / (2 * patch)) ** 2;
  const isCut =
    (fields.number('clip.vision.preproc_max_tiles') ?? 0) > 1 || fields.length('clip.vision.image_grid_pinpoints') > 0;
  if (type === 'mlp' && !isCut) return Math.floor(trained / patch) ** 2;
  if (type === 'gemma3') {
    const merged = fields.number('clip.vision.projector.scale_factor') ?? 4;
    return Math.floor(trained / patch / merged) ** 2;
  }
  return null;
}
