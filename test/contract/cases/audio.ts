import { expect } from 'vitest';
import { silentMp3, toneWav } from '../../kit/files/media.ts';
import type { ContractCase } from '../suite.ts';
import { openai, type Target } from '../target.ts';

const EAR = 'tiny/audio/ear';
const EVENT_TYPES = /^transcript\.text\.(delta|done)$/;

/** The openai client at the URL where recordings are taken. */
const client = (target: Target) => openai({ ...target, url: target.audioUrl });

const fileOf = (bytes: Uint8Array, name = 'speech.wav') => new File([new Uint8Array(bytes)], name);
const low = () => fileOf(toneWav(220));
const high = () => fileOf(toneWav(1760));

/**
 * Has another recording read, so that the next one does not come from the prefix cache: on WebAssembly, a prompt of which only the
 * last tokens are evaluated gives logits that are rounded otherwise, and random weights may then write another text.
 */
async function replaceCached(target: Target) {
  await client(target).audio.transcriptions.create({ model: EAR, file: high() });
}

async function refusalOf(asked: Promise<unknown>) {
  const error = await asked.then(
    () => null,
    (thrown: { status: number; param: string; code: string; message: string }) => thrown,
  );
  return { status: error?.status, param: error?.param, code: error?.code, message: error?.message };
}

export const audioCases: ContractCase[] = [
  {
    name: 'writes down a recording for the openai client: another one changes the text, the same one does not',
    check: async (target) => {
      const { transcriptions } = client(target).audio;
      const write = async (file: File) => (await transcriptions.create({ model: EAR, file })).text;
      const text = await write(low());
      expect(text).not.toBe('');
      expect(await write(high())).not.toBe(text);
      expect(await write(low())).toBe(text);
      const { usage } = await transcriptions.create({ model: EAR, file: fileOf(silentMp3(1), 'speech.mp3') });
      expect(usage).toMatchObject({ type: 'tokens', input_tokens: expect.any(Number) });
    },
  },
  {
    name: 'writes down a recording as plain text, and with another language, words and temperature',
    byApiAlone: true,
    check: async (target) => {
      const { transcriptions } = client(target).audio;
      const whole = await transcriptions.create({ model: EAR, file: low() });
      await replaceCached(target);
      const plain = await transcriptions.create({ model: EAR, file: low(), response_format: 'text' });
      expect(String(plain).trimEnd()).toBe(whole.text);
      const guided = { language: 'de', prompt: 'Paddock', temperature: 0, response_format: 'json' } as const;
      const german = await transcriptions.create({ model: EAR, file: low(), ...guided });
      expect(german.usage).not.toEqual(whole.usage);
    },
  },
  {
    name: 'streams to the openai client the transcript that it writes whole',
    check: async (target) => {
      const { transcriptions } = client(target).audio;
      const { text } = await transcriptions.create({ model: EAR, file: low() });
      await replaceCached(target);
      let deltas = '';
      let done = '';
      for await (const event of await transcriptions.create({ model: EAR, file: low(), stream: true })) {
        expect(event.type).toMatch(EVENT_TYPES);
        if (event.type === 'transcript.text.delta') deltas += event.delta;
        if (event.type === 'transcript.text.done') done = event.text;
      }
      expect(done).toBe(text);
      expect(deltas.trimEnd()).toBe(text);
    },
  },
  {
    name: 'writes down a long recording in parts',
    check: async (target) => {
      const { transcriptions } = client(target).audio;
      const short = await transcriptions.create({ model: EAR, file: low() });
      const long = await transcriptions.create({ model: EAR, file: fileOf(toneWav(220, 31, 8000)) });
      const tokens = ({ usage }: typeof short) => (usage?.type === 'tokens' ? usage.input_tokens : 0);
      expect(tokens(long)).toBe(2 * tokens(short));
    },
  },
  {
    name: 'translates a recording into English for the openai client',
    byApiAlone: true,
    check: async (target) => {
      const { translations } = client(target).audio;
      expect((await translations.create({ model: EAR, file: low() })).text).not.toBe('');
    },
  },
  {
    name: 'refuses a transcript with times, by a model that does not hear, and of what is no recording',
    check: async (target) => {
      const { transcriptions } = client(target).audio;
      for (const response_format of ['srt', 'vtt', 'verbose_json'] as const)
        expect(await refusalOf(transcriptions.create({ model: EAR, file: low(), response_format }))).toMatchObject({
          status: 400,
          param: 'response_format',
          code: 'timestamps_not_supported',
        });
      expect(
        await refusalOf(transcriptions.create({ model: EAR, file: low(), timestamp_granularities: ['word'] })),
      ).toMatchObject({ status: 400, param: 'timestamp_granularities', code: 'timestamps_not_supported' });
      const deaf = openai(target).audio.transcriptions;
      expect(await refusalOf(deaf.create({ model: 'tiny', file: low() }))).toMatchObject({
        status: 400,
        param: 'model',
        code: 'unsupported_content',
        message: expect.stringContaining("The model 'tiny' does not accept audio."),
      });
      const pdf = fileOf(Buffer.from('%PDF-1.7 and more'));
      expect(await refusalOf(transcriptions.create({ model: EAR, file: pdf }))).toMatchObject({
        status: 400,
        param: 'file',
        code: 'invalid_media',
      });
    },
  },
];
