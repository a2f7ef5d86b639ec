import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { float32, text, uint32 } from '../../kit/models/gguf-writer.ts';
import { makeFolder, modelEntries, readLines, writeSparse } from './fixtures.ts';

/** Reads a folder with one model of these fields. */
async function readOne(entries: Parameters<typeof modelEntries>[0]) {
  const folder = await makeFolder();
  await writeSparse(join(folder, 'a.gguf'), modelEntries(entries));
  return readLines(folder);
}

describe('a model that can not be served', () => {
  it.each([
    ['llada', 'a diffusion model'],
    ['llada-moe', 'a diffusion model'],
    ['dream', 'a diffusion model'],
    ['rnd1', 'a diffusion model'],
    ['t5', 'an encoder with a decoder'],
    ['whisper', 'transcribing speech'],
    ['wavtokenizer-dec', 'a decoder of audio'],
  ])('is not listed, and the log has the reason in words: %s', async (architecture, reason) => {
    const { catalogue, lines } = await readOne({ 'general.architecture': text(architecture) });
    expect(catalogue.list()).toEqual([]);
    expect(lines.join('\n')).toContain(reason);
  });

  it('is a decision model with an output layer of its own', async () => {
    const { catalogue, lines } = await readOne({ 'llama.decision.type': text('kev') });
    expect(catalogue.list()).toEqual([]);
    expect(lines.join('\n')).toContain('a decision model');
  });
});

describe('a decision model with an ordinary output layer', () => {
  it('is a chat model with a tag', async () => {
    const { catalogue } = await readOne({ 'llama.decision.type': text('openjev') });
    expect(catalogue.find('a')?.metadata.tags).toContain('decision');
    expect(catalogue.sourceOf('a')?.kind).toBe('chat');
  });
});

describe('a model of vectors', () => {
  it('is one by its architecture even if its header names no pooling: llama-embed', async () => {
    const { catalogue } = await readOne({ 'general.architecture': text('llama-embed') });
    expect(catalogue.sourceOf('a')?.kind).toBe('embedding');
  });
});

describe('a model for images without its projector', () => {
  it('is listed, and the log says what is missing', async () => {
    const { catalogue, lines } = await readOne({ 'general.architecture': text('qwen3vl') });
    expect(catalogue.find('a')).toMatchObject({ lacksProjector: true, settings: { embedding: false } });
    expect(lines.join('\n')).toContain('its projector, a GGUF with mmproj in its name, is not in its folder');
  });
});

describe('the sampling that a header recommends', () => {
  it('is in the settings, rounded to its shortest decimals', async () => {
    const { catalogue } = await readOne({
      'general.sampling.temp': float32(0.6),
      'general.sampling.top_k': uint32(20),
      'general.sampling.top_p': float32(0.95),
      'general.sampling.penalty_repeat': float32(1.05),
      'general.sampling.xtc_probability': float32(0.5),
    });
    expect(catalogue.find('a')?.settings).toMatchObject({
      temperature: 0.6,
      top_k: 20,
      top_p: 0.95,
      repeat_penalty: 1.05,
      xtc_probability: 0.5,
    });
  });

  it('is left out where it is out of range', async () => {
    const { catalogue } = await readOne({
      'general.sampling.temp': float32(-3),
      'general.sampling.top_p': text('much'),
      'general.sampling.min_p': float32(0.05),
    });
    const settings = catalogue.find('a')?.settings;
    expect(settings).toMatchObject({ min_p: 0.05 });
    expect(settings).not.toHaveProperty('temperature');
    expect(settings).not.toHaveProperty('top_p');
  });
});
