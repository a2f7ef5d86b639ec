import OpenAI, { BadRequestError, toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import { makeFlac } from '../kit/files/flac.ts';
import { samplesOf, toneWav } from '../kit/files/media.ts';
import { makeOpus, SILENCE } from '../kit/files/ogg.ts';
import { API_KEY, servePaddock } from './paddock.ts';

const baseURL = await servePaddock();
const client = new OpenAI({ baseURL, apiKey: API_KEY });
const model = 'tiny/audio/ear';
const file = () => toFile(toneWav(440), 'speech.wav');

describe('the openai client, with a recording', () => {
  it('gets its text, whole and streamed alike', async () => {
    const { text } = await client.audio.transcriptions.create({ model, file: await file() });
    expect(text).not.toBe('');
    const stream = await client.audio.transcriptions.create({ model, file: await file(), stream: true });
    const types = new Set<string>();
    let last = '';
    for await (const event of stream) {
      types.add(event.type);
      if (event.type === 'transcript.text.done') last = event.text;
    }
    expect(last).toBe(text);
    expect([...types]).toEqual(['transcript.text.delta', 'transcript.text.done']);
  });

  it('gets the same text of a FLAC as of a WAV', async () => {
    const wav = toneWav(440);
    const flac = makeFlac([samplesOf(wav)], { kind: 'fixed' });
    const ofFlac = await client.audio.transcriptions.create({ model, file: await toFile(flac, 'speech.flac') });
    const ofWav = await client.audio.transcriptions.create({ model, file: await toFile(wav, 'speech.wav') });
    expect(ofFlac.text).toBe(ofWav.text);
  });

  it('gets the text of an Opus, and a 400 of a broken one', async () => {
    const opus = makeOpus(Array<Uint8Array>(50).fill(SILENCE));
    const asked = (bytes: Buffer) =>
      toFile(bytes, 'speech.ogg').then((ogg) => client.audio.transcriptions.create({ model, file: ogg }));
    expect((await asked(opus)).text).toEqual(expect.any(String));
    await expect(asked(opus.subarray(0, 60))).rejects.toMatchObject({
      status: 400,
      param: 'file',
      code: 'invalid_media',
    });
  });

  it('gets plain text where it asks for that', async () => {
    const text: unknown = await client.audio.transcriptions.create({
      model,
      file: await file(),
      response_format: 'text',
    });
    expect(text).toEqual(expect.any(String));
  });

  it('gets a translation', async () => {
    expect((await client.audio.translations.create({ model, file: await file() })).text).not.toBe('');
  });

  it('gets its own error class for a model that does not hear', async () => {
    const asked = client.audio.transcriptions.create({ model: 'tiny', file: await file() });
    await expect(asked).rejects.toBeInstanceOf(BadRequestError);
  });
});
