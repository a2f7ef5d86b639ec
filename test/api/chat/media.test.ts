import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { invalidRequest } from '../../../src/contract/errors.ts';
import { MEDIA_MARK, type Media, type MediaPart, type MediaReader } from '../../../src/contract/media.ts';
import type { ModelCard } from '../../../src/contract/models/model.ts';
import { chat, createContext, createFakeRunner, modelCard, readJson } from '../fixtures.ts';

const vision = modelCard({ settings: { embedding: false, vision_model: true } });
const audio = modelCard({ audioModel: true });
const both = modelCard({ settings: { embedding: false, vision_model: true }, audioModel: true });

const text = (words: string) => ({ type: 'text', text: words });
const imagePart = (url: string, more: object = {}) => ({ type: 'image_url', image_url: { url, ...more } });
const audioPart = (data: string) => ({ type: 'input_audio', input_audio: { data, format: 'wav' } });
const user = (...content: unknown[]) => ({ role: 'user', content });

/** Makes a reader whose media are the addresses themselves. It records what it was asked for. */
function createReader(read: (part: MediaPart, signal: AbortSignal) => Promise<void> = async () => {}) {
  const asked: { part: MediaPart; param: string }[] = [];
  const reader: MediaReader = {
    async read(part, param, signal) {
      asked.push({ part, param });
      await read(part, signal);
      return mediaOf(part.kind === 'image' ? part.url : String(part.data), part.kind);
    },
    openRecording: () => Promise.reject(new Error('no file was sent')),
  };
  return { reader, asked };
}

function mediaOf(source: string, kind: Media['kind'] = 'image'): Media {
  const bytes = new TextEncoder().encode(source);
  return kind === 'image' ? { kind, bytes } : { kind, format: 'wav', bytes };
}

/** Asks for a reply to these messages. Returns the answer, and the messages that the engine gets. */
async function send(card: ModelCard, messages: unknown[], media?: MediaReader, signal = new AbortController().signal) {
  const runner = createFakeRunner();
  const { context } = createContext({ cards: [card], runner, ...(media && { media }) });
  const reply = await createApi(context)(chat({ messages }, { signal }));
  const prompt = runner.asked[0]?.request.prompt;
  return {
    status: reply.status,
    error: (await readJson(reply)).error,
    messages: prompt?.kind === 'chat' ? prompt.messages : null,
  };
}

describe('images and recordings in messages', () => {
  it('may have an address in place of an object with it', async () => {
    const { reader, asked } = createReader();
    const { status } = await send(both, [user({ type: 'image_url', image_url: 'a' })], reader);
    expect(status).toBe(200);
    expect(asked).toEqual([{ part: { kind: 'image', url: 'a' }, param: 'messages[0].content[0]' }]);
  });

  it('are read, and marked in the text at the places of their parts', async () => {
    const { reader, asked } = createReader();
    const sent = [
      user(text('What '), text('is '), imagePart('a'), text('and'), imagePart('b'), text('?')),
      { role: 'assistant', content: 'That.' },
      user(audioPart('c'), text('And that?')),
    ];
    const { status, messages } = await send(both, sent, reader);
    expect(status).toBe(200);
    expect(messages).toEqual([
      { role: 'user', content: `What is ${MEDIA_MARK}and${MEDIA_MARK}?`, media: [mediaOf('a'), mediaOf('b')] },
      { role: 'assistant', content: 'That.' },
      { role: 'user', content: `${MEDIA_MARK}And that?`, media: [mediaOf('c', 'audio')] },
    ]);
    expect(asked).toEqual([
      { part: { kind: 'image', url: 'a' }, param: 'messages[0].content[2]' },
      { part: { kind: 'image', url: 'b' }, param: 'messages[0].content[4]' },
      { part: { kind: 'audio', data: 'c', format: 'wav' }, param: 'messages[2].content[0]' },
    ]);
  });

  it('may stand alone, and in any role', async () => {
    const { reader } = createReader();
    const roles = ['system', 'user', 'assistant', 'tool'];
    const { messages } = await send(
      vision,
      roles.map((role) => ({ role, content: [imagePart(role)] })),
      reader,
    );
    expect(messages).toEqual(roles.map((role) => ({ role, content: MEDIA_MARK, media: [mediaOf(role)] })));
  });

  it("keep their places behind the model's system prompt", async () => {
    const { reader } = createReader();
    const card = modelCard({ settings: { embedding: false, vision_model: true, system_prompt: 'Be kind.' } });
    const { messages } = await send(card, [user(imagePart('a'))], reader);
    expect(messages).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: MEDIA_MARK, media: [mediaOf('a')] },
    ]);
  });

  it('are read at a small size if the request asks for low detail', async () => {
    const { reader, asked } = createReader();
    const details = ['low', 'high', 'auto', null];
    await send(vision, [user(...details.map((detail) => imagePart('a', { detail })))], reader);
    const plain = { kind: 'image', url: 'a' };
    expect(asked.map(({ part }) => part)).toEqual([{ ...plain, detail: 'low' }, plain, plain, plain]);
  });

  it.each([
    ['images', audio, imagePart('a')],
    ['audio', vision, audioPart('a')],
    ['images', modelCard(), imagePart('a')],
    ['audio', modelCard(), audioPart('a')],
  ])('are refused if the model does not take %s, before anything is read', async (modality, card, part) => {
    const { reader, asked } = createReader();
    const { status, error } = await send(card, [{ role: 'system', content: 'x' }, user(text('x'), part)], reader);
    expect(status).toBe(400);
    expect(error).toEqual({
      type: 'invalid_request_error',
      code: 'unsupported_content',
      param: 'messages[1].content[1]',
      message: `The model 'tiny' does not accept ${modality}.`,
    });
    expect(asked).toEqual([]);
  });

  it('are refused with what is missing if the model is made for them and lacks its projector', async () => {
    const { reader } = createReader();
    const { error } = await send(modelCard({ lacksProjector: true }), [user(imagePart('a'))], reader);
    expect(error.message).toBe(
      "The model 'tiny' does not accept images. Its projector is missing: a GGUF with mmproj in its name, beside the model.",
    );
  });

  it('are refused if there is no reader', async () => {
    const { status, error } = await send(vision, [user(imagePart('a'))]);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'unsupported_content', param: 'messages[0].content[0]' });
  });

  it('are at most 32, in all messages together', async () => {
    const { reader, asked } = createReader();
    const many = (count: number) => Array.from({ length: count }, () => imagePart('a'));
    expect((await send(vision, [user(...many(16)), user(...many(16))], reader)).status).toBe(200);
    const { status, error } = await send(vision, [user(...many(16)), user(...many(17))], reader);
    expect(status).toBe(400);
    expect(error).toMatchObject({ param: 'messages', code: 'too_many_media' });
    expect(error.message).toMatch(/33.*at most 32/);
    expect(asked).toHaveLength(32);
  });

  it('are answered with the error of one of them, and the others are no longer read', async () => {
    const signals: AbortSignal[] = [];
    const broken = invalidRequest('The image is broken.', 'messages[0].content[1]', 'invalid_media');
    const { reader, asked } = createReader(async (part, signal) => {
      signals.push(signal);
      if (part.kind === 'image' && part.url === 'bad') throw broken;
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    });
    const parts = ['a', 'bad', 'b', 'c', 'd', 'e'].map((url) => imagePart(url));
    const { status, error } = await send(vision, [user(...parts)], reader);
    expect(status).toBe(400);
    expect(error).toMatchObject({ param: 'messages[0].content[1]', code: 'invalid_media' });
    expect(asked).toHaveLength(4);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true]);
  });

  it('are no longer read when the client leaves', async () => {
    const client = new AbortController();
    const { reader } = createReader(async (_, signal) => {
      const aborted = new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
      client.abort();
      await aborted;
    });
    const { messages } = await send(vision, [user(imagePart('a'))], reader, client.signal);
    expect(messages).toBeNull();
  });
});

describe('marks that a client writes', () => {
  const contents: [string, unknown][] = [
    ['as a text', `a${MEDIA_MARK}b`],
    ['in a part', [text(`a${MEDIA_MARK}b`)]],
    ['in two parts', [text('a\u{E000}med'), text('ia\u{E000}b')]],
    ['around themselves', [text(`a\u{E000}${MEDIA_MARK}media\u{E000}b`)]],
  ];

  it.each(contents)('are removed %s', async (_, content) => {
    const { reader } = createReader();
    const { messages } = await send(vision, [{ role: 'user', content }, user(imagePart('a'))], reader);
    expect(messages?.[0]?.content).toMatch(/^a.*b$/);
    expect(messages?.[0]?.content).not.toContain(MEDIA_MARK);
    expect(messages?.[1]).toEqual({ role: 'user', content: MEDIA_MARK, media: [mediaOf('a')] });
  });
});
