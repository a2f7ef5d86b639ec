import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { type Colour, plainPng, toneWav } from '../../kit/files/media.ts';
import { TOKENS_PER_IMAGE, TOKENS_PER_RECORDING } from '../../kit/models/tiny-projector.ts';
import { until } from '../../kit/until.ts';
import type { ContractCase } from '../suite.ts';
import {
  chatBody,
  contentOf,
  getJson,
  isBusy,
  leaveWhen,
  openai,
  openStream,
  postChat,
  readStream,
  type Target,
  untilIdle,
} from '../target.ts';

const EYE = 'tiny/vision/eye';
const EAR = 'tiny/audio/ear';

type Part = Record<string, unknown>;

const text = (words: string): Part => ({ type: 'text', text: words });
const imageAt = (url: string): Part => ({ type: 'image_url', image_url: { url } });
const image = (colour: Colour): Part => imageAt(pngUri(plainPng(colour)));
const recording = (hertz: number): Part => ({
  type: 'input_audio',
  input_audio: { data: Buffer.from(toneWav(hertz)).toString('base64'), format: 'wav' },
});

const red = image([255, 0, 0]);
const blue = image([0, 0, 255]);
const low = recording(220);
const high = recording(1760);

function pngUri(bytes: Uint8Array): string {
  return `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;
}

const user = (...content: Part[]) => ({ role: 'user', content });

/** A chat request with these messages. It does not use the cache. */
function bodyOf(model: string, messages: unknown[], more: Record<string, unknown> = {}): Record<string, unknown> {
  return chatBody({ model, messages, cache_prompt: false, ...more });
}

/** The URL at which this model has what it needs. */
const placeOf = (target: Target, model: string): Target =>
  model === EAR ? { ...target, url: target.audioUrl } : target;

/** Returns the reply to these messages. Fails if it is an error. */
async function answer(target: Target, model: string, messages: unknown[], more: Record<string, unknown> = {}) {
  const { status, body } = await postChat(placeOf(target, model), bodyOf(model, messages, more));
  expect(status, JSON.stringify(body)).toBe(200);
  return { content: body.choices[0].message.content as string, usage: body.usage };
}

/** Returns the text of the reply to a message with these parts. */
async function say(target: Target, model: string, ...parts: Part[]): Promise<string> {
  return (await answer(target, model, [user(...parts)])).content;
}

/** Twelve different images. */
const album = () => Array.from({ length: 12 }, (_, index) => image([index, 7, 7]));

/** Calls `use` with the URL of an image on a web server of this machine. */
async function withImageOnline<T>(bytes: Uint8Array, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'access-control-allow-origin': '*' }).end(bytes);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/image.png`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

export const mediaCases: ContractCase[] = [
  {
    name: 'looks at images: another one changes the reply, the same one does not',
    check: async (target) => {
      const question = (...parts: Part[]) => say(target, EYE, text('Look: '), ...parts, text(' What is it?'));
      const toRed = await question(red);
      expect(toRed).not.toBe('');
      expect(await question(blue)).not.toBe(toRed);
      expect(await question(red)).toBe(toRed);
      expect(await question()).not.toBe(toRed);
    },
  },
  {
    name: 'looks at one image after it has looked at two of which that was the first',
    check: async (target) => {
      const cached = (...parts: Part[]) => answer(target, EYE, [user(...parts)], { cache_prompt: true });
      await cached(red, blue, text('What are they?'));
      const { content } = await cached(red, text('What is it?'));
      expect(content).toBe(await say(target, EYE, red, text('What is it?')));
    },
  },
  {
    name: 'reads the parts in their order: a text and an image, and two images',
    check: async (target) => {
      const places = [
        [text('Look: '), red, text(' What is it?')],
        [red, text('Look:  What is it?')],
        [text('Look:  What is it?'), red],
        [red, blue, text('And?')],
        [blue, red, text('And?')],
        [red, red, text('And?')],
      ];
      const replies = [];
      for (const parts of places) replies.push(await say(target, EYE, ...parts));
      expect(new Set(replies).size).toBe(places.length);
    },
  },
  {
    name: 'looks at an image of the second turn, and does not read the first turn again',
    check: async (target) => {
      const opening = user(text('Look: '), red);
      const first = await answer(target, EYE, [opening], { cache_prompt: true });
      const continued = (part: Part) =>
        answer(target, EYE, [opening, { role: 'assistant', content: first.content }, user(text('And '), part)], {
          cache_prompt: true,
        });
      const second = await continued(blue);
      expect(second.usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(TOKENS_PER_IMAGE);
      expect((await continued(red)).content).not.toBe(second.content);
      expect((await continued(blue)).content).toBe(second.content);
    },
  },
  {
    name: 'streams of an image what it would have answered whole',
    check: async (target) => {
      const messages = [user(text("What's in this image?"), blue)];
      const { content } = await answer(target, EYE, messages, { max_tokens: 40 });
      const events = await readStream(await openStream(target, bodyOf(EYE, messages, { max_tokens: 40 })));
      expect(events.at(-1)).toBe('[DONE]');
      expect(contentOf(events)).toBe(content);
      expect(content.length).toBeGreaterThan(20);
    },
  },
  {
    name: "takes the openai package's own example of an image, and reads the same from a URL as from a data URI",
    check: async (target) => {
      const ask = (img_url: string) =>
        openai(target).chat.completions.create({
          model: EYE,
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: "What's in this image?" },
                { type: 'image_url', image_url: { url: img_url } },
              ],
            },
          ],
          temperature: 0,
          max_tokens: 16,
        });
      const bytes = plainPng([0, 200, 0]);
      const fromWeb = await withImageOnline(bytes, ask);
      expect(fromWeb.choices[0]?.message.content).toBe((await ask(pngUri(bytes))).choices[0]?.message.content);
      expect(fromWeb.choices[0]?.message.content).not.toBe(
        (await ask(pngUri(plainPng([200, 0, 200])))).choices[0]?.message.content,
      );
    },
  },
  {
    name: 'counts the tokens of media, and reads a repeated image or recording from the cache',
    check: async (target) => {
      const kinds = [
        [EYE, TOKENS_PER_IMAGE, red, blue],
        [EAR, TOKENS_PER_RECORDING, low, high],
      ] as const;
      for (const [model, tokens, one, other] of kinds) {
        const usage = async (parts: Part[]) =>
          (await answer(target, model, [user(text('A'), ...parts, text('B'))], { cache_prompt: true })).usage;
        const plain = (await usage([])).prompt_tokens;
        const both = await usage([one, other]);
        expect(both.prompt_tokens).toBe(plain + 2 * tokens);
        const again = await usage([one, other]);
        expect(again.prompt_tokens_details.cached_tokens).toBe(both.prompt_tokens - 1);
        const swapped = await usage([other, one]);
        expect(swapped.prompt_tokens_details.cached_tokens).toBeLessThan(plain);
      }
    },
  },
  {
    name: 'tells the progress after each image',
    check: async (target) => {
      const messages = [user(text('A'), red, text('B'), blue, text('C'))];
      const events = await readStream(await openStream(target, bodyOf(EYE, messages, { return_progress: true })));
      const progress = events.flatMap((event) => event.prompt_progress ?? []);
      const processed: number[] = progress.map((step) => step.processed);
      expect(processed).toEqual(processed.toSorted((a, b) => a - b));
      expect(processed.at(-1)).toBe(progress[0].total);
      expect(processed.some((done) => done > TOKENS_PER_IMAGE && done < 2 * TOKENS_PER_IMAGE)).toBe(true);
    },
  },
  {
    name: 'frees the slot of a client that leaves while its images are read, and serves on',
    check: async (target) => {
      const expected = await say(target, EYE, red);
      const messages = [user(...album())];
      const gone = new AbortController();
      const body = bodyOf(EYE, messages, { return_progress: true, max_tokens: null });
      const stream = await openStream(target, body, gone.signal);
      await stream.body?.getReader().read();
      gone.abort();
      await untilIdle(target);

      await until(() => leaveWhen(target, bodyOf(EYE, messages, { max_tokens: null }), isBusy));
      await untilIdle(target);
      expect(await say(target, EYE, red)).toBe(expected);
    },
  },
  {
    name: 'listens to recordings: another one, or another order, changes the reply',
    check: async (target) => {
      const question = (...parts: Part[]) => say(target, EAR, text('Listen: '), ...parts, text(' What is it?'));
      const toLow = await question(low);
      expect(await question(high)).not.toBe(toLow);
      expect(await question(low)).toBe(toLow);
      const inOrder = await question(low, high);
      expect(await question(high, low)).not.toBe(inOrder);
      const messages = [user(text('Listen: '), low, high, text(' What is it?'))];
      expect(contentOf(await readStream(await openStream(placeOf(target, EAR), bodyOf(EAR, messages))))).toBe(inOrder);
    },
  },
  {
    name: 'listens to a recording of the second turn',
    check: async (target) => {
      const opening = [user(text('Listen.')), { role: 'assistant', content: 'Yes.' }];
      const replies = [];
      for (const part of [low, high]) {
        const messages = [...opening, user(part, text(' What is it?'))];
        replies.push((await answer(target, EAR, messages, { max_tokens: 48 })).content);
      }
      expect(new Set(replies).size).toBe(2);
    },
  },
  {
    name: 'tells in the Model object what a model with a projector runs on and what it takes',
    check: async (target) => {
      await say(target, EYE, red);
      const eye = (await getJson(target, `/v1/models/${EYE}`)).body;
      const { engine, backend } = eye;
      expect(['node-llama-cpp gpu', 'node-llama-cpp cpu', 'wllama wasm']).toContain(`${engine} ${backend}`);
      expect(eye).toMatchObject({
        id: EYE,
        loaded: true,
        settings: { vision_model: true, mmproj: 'mmproj-eye.gguf' },
        capabilities: { vision: true, audio: false },
      });
      const ear = (await getJson(target, `/v1/models/${EAR}`)).body;
      expect(ear).toMatchObject({
        settings: { mmproj: 'mmproj-ear.gguf' },
        capabilities: { vision: false, audio: true },
      });
    },
  },
  {
    name: 'refuses what is no image or recording, and names what it begins with',
    check: async (target) => {
      const pdf = Buffer.from('%PDF-1.7 and more').toString('base64');
      const wrong = [
        [EYE, imageAt(`data:image/png;base64,${pdf}`)],
        [EAR, { type: 'input_audio', input_audio: { data: pdf, format: 'wav' } }],
      ] as const;
      for (const [model, part] of wrong) {
        const { status, body } = await postChat(target, bodyOf(model, [user(text('?'), part)]));
        expect(status).toBe(400);
        expect(body.error).toMatchObject({
          type: 'invalid_request_error',
          code: 'invalid_media',
          param: 'messages[0].content[1]',
          message: expect.stringContaining('%PDF-1.7'),
        });
      }
    },
  },
  {
    name: 'refuses a recording for a model that sees, an image for one that hears, and names the model',
    check: async (target) => {
      const wrong = [
        [EYE, low, 'audio'],
        [EAR, red, 'images'],
      ] as const;
      for (const [model, part, modality] of wrong) {
        const { status, body } = await postChat(target, bodyOf(model, [user(part)]));
        expect(status).toBe(400);
        expect(body.error).toMatchObject({
          code: 'unsupported_content',
          param: 'messages[0].content[0]',
          message: `The model '${model}' does not accept ${modality}.`,
        });
      }
    },
  },
];
