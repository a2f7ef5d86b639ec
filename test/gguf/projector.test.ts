import { describe, expect, it } from 'vitest';
import { createFields, type GgufValue } from '../../src/gguf/fields.ts';
import { readProjectorShape } from '../../src/gguf/projector.ts';

const MOST_PIXELS = 1_000_000;

/** SigLIP's figures in a projector of Gemma 3. */
const gemma: Record<string, GgufValue> = {
  'clip.projector_type': 'gemma3',
  'clip.has_vision_encoder': true,
  'clip.vision.image_size': 896,
  'clip.vision.patch_size': 14,
  'clip.vision.embedding_length': 1152,
  'clip.vision.feed_forward_length': 4304,
};
const whisper: Record<string, GgufValue> = {
  'clip.projector_type': 'ultravox',
  'clip.has_audio_encoder': true,
  'clip.audio.embedding_length': 1280,
  'clip.audio.feed_forward_length': 5120,
};

function shapeOf(entries: Record<string, GgufValue>) {
  return readProjectorShape(createFields(new Map(Object.entries(entries))), MOST_PIXELS);
}

describe('the shape of a projector', () => {
  it.each<[string, Record<string, GgufValue>, number | undefined]>([
    ['of Gemma 3', gemma, 256],
    ['of Gemma 3 with another scale', { ...gemma, 'clip.vision.projector.scale_factor': 8 }, 64],
    ['of LLaVA', { ...gemma, 'clip.projector_type': 'mlp', 'clip.vision.image_size': 336 }, 576],
    ['of Qwen2-VL', { ...gemma, 'clip.projector_type': 'qwen2vl_merger' }, 37 * 37],
    ['of an unknown kind', { ...gemma, 'clip.projector_type': 'coming' }, undefined],
    ['that hears', whisper, undefined],
  ])('has the tokens of a picture: %s', (_, entries, tokens) => {
    expect(shapeOf(entries).pictureTokens).toBe(tokens);
  });

  it('has the figures of its encoder', () => {
    expect(shapeOf(gemma)).toMatchObject({ embeddingLength: 1152, feedForwardLength: 4304, audio: false });
    expect(shapeOf(whisper)).toMatchObject({ embeddingLength: 1280, feedForwardLength: 5120, audio: true });
  });

  it.each([
    ['of the size it was trained with', gemma, 64 * 64],
    ['of the largest image, where images keep their size', { ...gemma, 'clip.projector_type': 'qwen2vl_merger' }, 5103],
    ['of the size it was trained with, where that is larger', { ...gemma, 'clip.vision.image_size': 2048 }, 21_400],
    ['of the largest image, where its kind is not known', { ...gemma, 'clip.projector_type': 'coming' }, 5103],
    ['of half a minute of a recording', whisper, 1500],
  ])('has the places %s', (_, entries, places) => {
    expect(shapeOf(entries).places).toBe(places);
  });

  it('takes the larger figures if it has both senses', () => {
    const { 'clip.projector_type': sees, ...vision } = gemma;
    const { 'clip.projector_type': hears, ...audio } = whisper;
    const both = {
      ...vision,
      ...audio,
      'clip.vision.projector_type': sees ?? '',
      'clip.audio.projector_type': hears ?? '',
    };
    expect(shapeOf(both)).toEqual({
      pictureTokens: 256,
      places: 64 * 64,
      embeddingLength: 1280,
      feedForwardLength: 5120,
      tokensTogether: 288,
      audio: true,
      dependsOnPlace: false,
    });
  });

  it.each([
    ['deepseek4v', true],
    ['hunyuanvl', true],
    ['gemma3', false],
    ['qwen3vl_merger', false],
  ])('of %s depends on the place of an image: %s', (type, depends) => {
    expect(shapeOf({ ...gemma, 'clip.projector_type': type }).dependsOnPlace).toBe(depends);
  });

  it.each([
    ['gemma3', 288],
    ['gemma3nv', 288],
    ['gemma4v', 288],
    ['gemma4a', 0],
    ['mlp', 0],
    ['qwen2.5vl_merger', 0],
  ])('of %s must read %d tokens of an image together', (type, tokens) => {
    expect(shapeOf({ ...gemma, 'clip.projector_type': type }).tokensTogether).toBe(tokens);
  });
});
