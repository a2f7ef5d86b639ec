import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { MEDIA_MARK } from '../../../src/contract/media.ts';
import type { ModelCard } from '../../../src/contract/models/model.ts';
import { createServerMediaReader } from '../../../src/media/node/reader.ts';
import { toneWav } from '../../kit/files/media.ts';
import {
  createContext,
  createFakeRunner,
  done,
  failing,
  finish,
  modelCard,
  post,
  readBody,
  readJson,
  reasoning,
  streamOf,
  text,
} from '../fixtures.ts';

const ear = modelCard({ id: 'ear', audioModel: true });
const media = createServerMediaReader({ allowPrivate: false });

/** Makes a request with this form. */
function formRequest(path: string, fields: [string, string | Blob][]) {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const made = new Request('http://127.0.0.1', { method: 'POST', body: form });
  const overrides = {
    headers: { 'content-type': made.headers.get('content-type') ?? '' },
    bytes: async () => new Uint8Array(await made.arrayBuffer()),
  };
  return post(path, '', overrides);
}

const file = (bytes: Uint8Array): [string, Blob] => ['file', new Blob([new Uint8Array(bytes)])];

interface Asked {
  path?: string;
  fields?: [string, string | Blob][];
  wav?: Uint8Array;
  cards?: ModelCard[];
  /** The reply to each part. */
  replies?: string[];
}

/** Sends a form with a recording to a model that writes these texts. */
async function send({
  path = 'transcriptions',
  fields = [],
  wav = toneWav(440),
  cards = [ear],
  replies = [' Hello.'],
}: Asked) {
  let part = 0;
  const runner = createFakeRunner(() =>
    streamOf([
      reasoning('Hm.'),
      ...(replies[part++] ?? '').split(/(?<= )/).map((piece) => text(piece)),
      finish(),
      done(),
    ]),
  );
  const { context, noted } = createContext({ cards, runner, media });
  const all: [string, string | Blob][] = [['model', cards[0]?.id ?? ''], file(wav), ...fields];
  const reply = await createApi(context)(formRequest(`/v1/audio/${path}`, all));
  return { reply, asked: runner.asked.map(({ request }) => request), record: context.record, noted };
}

async function refusalOf(asked: Asked) {
  const { reply } = await send(asked);
  return { status: reply.status, ...(await readJson(reply)).error };
}

describe('a transcription', () => {
  it('asks the model as a chat with the recording does, greedily and without thoughts', async () => {
    const { reply, asked } = await send({});
    expect(reply.status).toBe(200);
    await expect(readJson(reply)).resolves.toEqual({
      text: 'Hello.',
      usage: { type: 'tokens', input_tokens: 12, output_tokens: 3, total_tokens: 15 },
    });
    expect(asked).toHaveLength(1);
    const { prompt, sampling, maxTokens } = asked[0] ?? {};
    expect(sampling).toMatchObject({ temperature: 0 });
    expect(maxTokens).toBe(57);
    if (prompt?.kind !== 'chat') throw new Error('no chat');
    expect(prompt.templateKwargs).toMatchObject({ enable_thinking: false });
    expect(prompt.messages).toHaveLength(1);
    expect(prompt.messages[0]?.content).toMatch(new RegExp(`^${MEDIA_MARK}Transcribe this recording\\.`));
    expect(prompt.messages[0]?.media).toMatchObject([{ kind: 'audio', format: 'wav' }]);
  });

  it('tells the model the language and the words that the client gives', async () => {
    const { asked } = await send({
      fields: [
        ['language', 'de'],
        ['prompt', 'Paddock, Fuß'],
        ['temperature', '0.5'],
      ],
    });
    const prompt = asked[0]?.prompt;
    expect(prompt?.kind === 'chat' && prompt.messages[0]?.content).toMatch(/is in German\..*\nPaddock, Fuß$/s);
    expect(asked[0]?.sampling).toMatchObject({ temperature: 0.5 });
  });

  it('may be a translation into English', async () => {
    const { reply, asked } = await send({ path: 'translations' });
    expect(reply.status).toBe(200);
    const prompt = asked[0]?.prompt;
    expect(prompt?.kind === 'chat' && prompt.messages[0]?.content).toContain('Translate what is said');
  });

  it('is plain text where response_format is text', async () => {
    const { reply } = await send({ fields: [['response_format', 'text']] });
    expect(reply.headers['content-type']).toContain('text/plain');
    expect(reply.body).toBe('Hello.\n');
  });

  it('of a long recording is joined from its parts, which overlap', async () => {
    const wav = toneWav(440, 70, 8000);
    const { reply, asked } = await send({
      wav,
      replies: ['The first words are heard by day.', 'heard by day and night, the moon is', 'the moon is full.'],
    });
    expect(asked).toHaveLength(3);
    await expect(readJson(reply)).resolves.toMatchObject({
      text: 'The first words are heard by day and night, the moon is full.',
      usage: { input_tokens: 36 },
    });
    const lengths = asked.map(({ prompt }) => prompt.kind === 'chat' && prompt.messages[0]?.media?.[0]?.bytes.length);
    expect(lengths).toEqual([29, 29, 16].map((seconds) => 44 + seconds * 16_000));
  });

  it('streams deltas, which make the text of the last event', async () => {
    const { reply } = await send({ fields: [['stream', 'true']], replies: ['Hello there.'] });
    expect(reply.headers['content-type']).toContain('text/event-stream');
    const body = await readBody(reply);
    const events = [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
    expect(events).toEqual([
      { type: 'transcript.text.delta', delta: 'Hello ' },
      { type: 'transcript.text.delta', delta: 'there.' },
      {
        type: 'transcript.text.done',
        text: 'Hello there.',
        usage: { type: 'tokens', input_tokens: 12, output_tokens: 3, total_tokens: 15 },
      },
    ]);
    expect(body).toMatch(/^event: transcript\.text\.delta\n/);
  });

  it('that fails before its first text has a status of its own, streamed too', async () => {
    const runner = createFakeRunner(() => failing([], new Error('broken')));
    const { context } = createContext({ cards: [ear], runner, media });
    const form = formRequest('/v1/audio/transcriptions', [['model', 'ear'], ['stream', 'true'], file(toneWav(440))]);
    expect((await createApi(context)(form)).status).toBe(500);
  });

  it('by a model that can not hear is refused, with the names of those that can', async () => {
    await expect(refusalOf({ cards: [modelCard(), ear] })).resolves.toMatchObject({
      status: 400,
      param: 'model',
      code: 'unsupported_content',
      message: "The model 'tiny' does not accept audio. These do: 'ear'.",
    });
  });

  it.each<[string, [string, string][], object]>([
    ['srt', [['response_format', 'srt']], { param: 'response_format', code: 'timestamps_not_supported' }],
    ['vtt', [['response_format', 'vtt']], { param: 'response_format', code: 'timestamps_not_supported' }],
    [
      'verbose_json',
      [['response_format', 'verbose_json']],
      { param: 'response_format', code: 'timestamps_not_supported' },
    ],
    [
      'times of words',
      [
        ['timestamp_granularities[]', 'word'],
        ['timestamp_granularities[]', 'segment'],
      ],
      { param: 'timestamp_granularities', code: 'timestamps_not_supported' },
    ],
    ['an unknown format', [['response_format', 'xml']], { param: 'response_format', code: 'invalid_request' }],
    ['probabilities', [['include[]', 'logprobs']], { param: 'include', code: 'unsupported_parameter' }],
    ['other windows', [['chunking_strategy', '{"type":"server_vad"}']], { param: 'chunking_strategy' }],
    ['speakers', [['known_speaker_names[]', 'Eva']], { param: 'known_speaker_names', code: 'unsupported_parameter' }],
    [
      'a high temperature',
      [['temperature', '1.5']],
      { param: 'temperature', message: expect.stringContaining('between 0 and 1') },
    ],
    ['a temperature in words', [['temperature', 'hot']], { param: 'temperature' }],
    ['a stream in words', [['stream', 'perhaps']], { param: 'stream' }],
    ['a language in words', [['language', 'in german']], { param: 'language' }],
    ['a long prompt', [['prompt', 'x'.repeat(4001)]], { param: 'prompt' }],
    ['two models', [['model', 'ear']], { param: 'model', message: 'model is in the form twice.' }],
    ['two files', [['file', 'text']], { param: 'file' }],
  ])('that asks for %s is refused', async (_, fields, error) => {
    await expect(refusalOf({ fields })).resolves.toMatchObject({ status: 400, ...error });
  });

  it.each<[string, Uint8Array, object]>([
    [
      'a PDF',
      Buffer.from('%PDF-1.7 and more'),
      { code: 'invalid_media', message: expect.stringContaining('%PDF-1.7') },
    ],
    ['an empty file', Buffer.from(''), { code: 'invalid_media', message: expect.stringContaining('it is empty') }],
    ['a file that is too long', toneWav(440, 1801, 100), { code: 'media_too_large' }],
  ])('of %s is refused, and names the field', async (_, wav, error) => {
    await expect(refusalOf({ wav })).resolves.toMatchObject({ status: 400, param: 'file', ...error });
  });

  it('without a file is refused', async () => {
    const { context } = createContext({ cards: [ear], media });
    const reply = await createApi(context)(
      formRequest('/v1/audio/transcriptions', [
        ['model', 'ear'],
        ['file', 'text'],
      ]),
    );
    expect((await readJson(reply)).error).toMatchObject({ param: 'file', message: 'file must be a file.' });
    const none = await createApi(context)(formRequest('/v1/audio/transcriptions', [['model', 'ear']]));
    expect((await readJson(none)).error).toMatchObject({ param: 'file', message: 'file is required.' });
  });

  it('of an unknown model is a 404', async () => {
    const { context } = createContext({ cards: [ear], media });
    const reply = await createApi(context)(
      formRequest('/v1/audio/transcriptions', [['model', 'x'], file(toneWav(440))]),
    );
    expect(reply.status).toBe(404);
  });

  it('where no media are read is a 501', async () => {
    const { context } = createContext({ cards: [ear] });
    const reply = await createApi(context)(
      formRequest('/v1/audio/transcriptions', [['model', 'ear'], file(toneWav(440))]),
    );
    expect(reply.status).toBe(501);
  });

  it('names fields that nobody defines in the log', async () => {
    const { noted } = await send({ fields: [['mood', 'good']] });
    expect(noted).toEqual([['mood']]);
  });
});
