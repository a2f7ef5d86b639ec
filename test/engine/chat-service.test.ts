import { describe, expect, it } from 'vitest';
import type { GenerationEvent, JournaledEvent } from '../../src/contract/events.ts';
import type { GenerationRequest } from '../../src/contract/generation-request.ts';
import { MEDIA_MARK } from '../../src/contract/media.ts';
import { createChatService, createJournaledService } from '../../src/engine/chat-service.ts';
import type { TextEngine, TextRequest } from '../../src/engine/engine.ts';
import { done, engineInfo, finish, progress, text, toolArguments, toolCall } from '../api/fixtures.ts';
import { ADD, ADD_CALL, HERMES_LIKE, NOW, NOW_CALL, traits } from '../chat/fixtures.ts';
import { ask, chat, generate } from '../kit/generation.ts';

/** Makes the service over an engine that emits these events. Records what the engine was asked. */
function serve(events: GenerationEvent[]) {
  const asked: TextRequest[] = [];
  const signals: AbortSignal[] = [];
  const engine: TextEngine = {
    info: engineInfo,
    traits: traits(HERMES_LIKE),
    async generate(request, emit, signal) {
      asked.push(request);
      signals.push(signal);
      events.forEach(emit);
    },
    ask: (async (...question: unknown[]) => question) as unknown as TextEngine['ask'],
    async [Symbol.asyncDispose]() {},
  };
  return { engine, service: createChatService(engine), asked, signals };
}

/** Returns the events of the service for a request to which the engine emits these events. */
const say = (events: GenerationEvent[], request: GenerationRequest) => generate(serve(events).service, request);

const withTools = (more: object = {}) =>
  chat([{ role: 'user', content: 'Hello' }], { tools: [ADD, NOW], toolChoice: 'auto', ...more });
const reply = (...pieces: string[]) => [progress(1, 1), ...pieces.map((piece) => text(piece)), finish(), done()];

describe('a generation', () => {
  it('goes to the engine as raw text', async () => {
    const { service, asked, signals } = serve([]);
    const request = ask('Hello', { stop: ['END'], banned: ['secret'], maxTokens: 5, choices: 2, logprobs: 3 });
    const { signal } = new AbortController();
    await generate(service, request, signal);
    const { prompt: _, replyFormat: __, ...same } = request;
    expect(asked).toEqual([
      {
        ...same,
        prompt: 'user: Hello\nassistant: ',
        media: [],
        grammar: null,
        marks: expect.arrayContaining(['<tool_call>']),
      },
    ]);
    expect(signals).toEqual([signal]);
  });

  it('has its reply read as a chat', async () => {
    expect(await say(reply('Let me add.\n', ADD_CALL), ask('', { prompt: withTools() }))).toEqual([
      progress(1, 1),
      text('Let me add.'),
      toolCall('add'),
      toolArguments('{"a":1,"b":2}'),
      finish('tool_calls'),
      done(),
    ]);
  });

  it.each([
    ['the request has but one', { parallelToolCalls: false }],
    ['the tool is named', { toolChoice: { name: 'now' } }],
  ])('has one call if %s', async (_, more) => {
    const said = await say(reply(NOW_CALL, NOW_CALL), ask('', { prompt: withTools(more) }));
    expect(said.filter(({ kind }) => kind === 'toolCall')).toEqual([toolCall('now')]);
  });

  it("has the engine's text unchanged if it is not a chat", async () => {
    const events = reply('<think>', ADD_CALL);
    expect(await say(events, ask('', { prompt: { kind: 'text', text: 'Once' } }))).toEqual(events);
  });

  it('throws for messages that the template refuses, before the engine is asked', async () => {
    const { service, asked } = serve([]);
    const prompt = { kind: 'infill', prefix: 'a', suffix: 'b' } as const;
    await expect(generate(service, ask('', { prompt }))).rejects.toMatchObject({ data: { status: 400 } });
    expect(asked).toEqual([]);
  });
});

describe('a conversation with images', () => {
  const image = { kind: 'image' as const, bytes: Uint8Array.of(1, 2) };
  const prompt = chat([{ role: 'user', content: `se${MEDIA_MARK}cret`, media: [image] }]);

  it('passes them to the engine, with the text that has their marks', async () => {
    const { service, asked } = serve([]);
    await generate(service, ask('', { prompt }));
    expect(asked).toMatchObject([{ prompt: `user: se${MEDIA_MARK}cret\nassistant: `, media: [image] }]);
  });

  it('is not banned for their marks, nor for text that a mark interrupts', async () => {
    const events = [progress(1, 1), text('Hi'), finish(), done()];
    expect(await say(events, ask('', { prompt, banned: ['media', 'secret'] }))).toEqual(events);
  });
});

describe('a prompt with a banned text', () => {
  const banned = ['SECRET'];
  const counts = done({ completionTokens: 1 });

  it('has an empty reply for each choice that ends with content_filter, and the true count of its tokens', async () => {
    const { service, asked } = serve([progress(1, 1), text('x'), finish('length'), counts]);
    const said = await generate(service, ask('a secret', { banned, choices: 2, maxTokens: 50 }));
    expect(said).toEqual([
      progress(1, 1),
      finish('content_filter', 0),
      finish('content_filter', 1),
      { ...counts, completionTokens: 0 },
    ]);
    expect(asked).toMatchObject([{ choices: 1, maxTokens: 1 }]);
  });

  it('may still not fit the context window', async () => {
    const overflow: GenerationEvent = { kind: 'overflow', promptTokens: 9, contextLength: 5 };
    expect(await say([overflow], ask('a secret', { banned }))).toEqual([overflow]);
  });

  it('is not one if only a part of the text is there', async () => {
    expect(await say(reply('Hi'), ask('a secre t', { banned }))).toEqual(reply('Hi'));
  });
});

describe('a question', () => {
  it('goes to the engine', async () => {
    const { service } = serve([]);
    const question = { text: 'Hello', addSpecial: true };
    const { signal } = new AbortController();
    expect(await service.ask('tokenize', question, signal)).toEqual(['tokenize', question, signal]);
  });

  it('about a prompt as text is answered without the engine', async () => {
    const { service } = serve([]);
    expect(await service.ask('renderPrompt', ask('Hello'))).toEqual({ prompt: 'user: Hello\nassistant: ' });
  });

  it('about the weights of replies goes to the engine with the rendered prompt', async () => {
    const { service } = serve([]);
    const options = [['yes', 'Yes'], ['no']];
    const { signal } = new AbortController();
    expect(await service.ask('weighReplies', { request: ask('Is it?'), options, param: 'state' }, signal)).toEqual([
      'weigh',
      { prompt: 'user: Is it?\nassistant: ', options, param: 'state' },
      signal,
    ]);
  });

  it('about the weights of replies to a banned text is refused', async () => {
    const { service } = serve([]);
    const request = ask('a secret', { banned: ['SECRET'] });
    await expect(service.ask('weighReplies', { request, options: [['a']], param: 'state' })).rejects.toMatchObject({
      data: { status: 400, code: 'content_filter', param: 'state' },
    });
  });
});

describe('a reply that another engine had begun', () => {
  const pieces = ['Let me add.\n', ...(ADD_CALL.match(/.{1,7}/gs) ?? [])];
  const request = ask('', { prompt: withTools() });
  const state = { count: 1, tokens: [], logprobs: [], finished: false };

  it.each(pieces.map((_, index) => index + 1))('is read on where it was, after piece %i', async (count) => {
    const whole = await say(reply(...pieces), request);
    const before = await say(
      pieces.slice(0, count).map((piece) => text(piece)),
      request,
    );
    const resume = [{ ...state, said: pieces.slice(0, count).map((piece) => text(piece)) }];
    const after = await say(reply(...pieces.slice(count)), { ...request, resume });
    expect(joined([...before, ...after])).toEqual(joined(whole));
  });

  /** What all pieces of a kind say together, and all else. */
  function joined(events: GenerationEvent[]) {
    const saidBy = (kind: 'text' | 'toolArguments') =>
      events.map((event) => (event.kind === kind ? event.text : '')).join('');
    const others = events.filter(({ kind }) => !['text', 'toolArguments', 'progress'].includes(kind));
    return { text: saidBy('text'), toolArguments: saidBy('toolArguments'), others };
  }
});

describe('a service whose replies can be taken up', () => {
  it('tells of each event of the engine what became of it', async () => {
    const { engine } = serve(reply('Let me add.\n', ADD_CALL));
    const told: JournaledEvent[] = [];
    const { signal } = new AbortController();
    await createJournaledService(engine).generate(
      ask('', { prompt: withTools() }),
      (event) => told.push(event),
      signal,
    );
    expect(told.map(({ of }) => of)).toEqual(reply('Let me add.\n', ADD_CALL));
    expect(told.flatMap(({ events }) => events)).toEqual(
      await say(reply('Let me add.\n', ADD_CALL), ask('', { prompt: withTools() })),
    );
  });
});
