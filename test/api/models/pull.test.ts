import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { errorBody } from '../../../src/api/http/dialect.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import { SSE_PING } from '../../../src/api/stream/sse.ts';
import { ApiError } from '../../../src/contract/errors.ts';
import type { PullEvent, Puller } from '../../../src/contract/models/puller.ts';
import { createEventQueue } from '../../../src/wire/event-queue.ts';
import { eventually } from '../../kit/eventually.ts';
import {
  collect,
  createContext,
  createFakeRunner,
  dataLines,
  loadedModel,
  post,
  readBody,
  readJson,
  streamOf,
} from '../fixtures.ts';

const PROGRESS: PullEvent = {
  status: 'downloading',
  file: 'tiny.gguf',
  completed: 1,
  total: 4,
  bytesPerSecond: 2,
  secondsLeft: null,
};
const ORDINARY_PULL: PullEvent[] = [
  { status: 'resolving' },
  PROGRESS,
  { status: 'waiting', reason: 'the line is dead' },
  { status: 'verifying', file: 'tiny.gguf' },
  { status: 'done', model: 'tiny', alreadyHere: false },
];

/** Makes a puller that does what the test tells it, and records what it was asked. */
function createFakePuller(events: (signal: AbortSignal) => AsyncIterable<PullEvent> = () => streamOf(ORDINARY_PULL)) {
  const asked: { source: string; signal: AbortSignal }[] = [];
  const puller: Puller = {
    pull(source, signal) {
      asked.push({ source, signal });
      return events(signal);
    },
  };
  return { puller, asked };
}

async function* thenThrow(events: PullEvent[], error: unknown): AsyncGenerator<PullEvent> {
  yield* events;
  throw error;
}

const pull = (body: Record<string, unknown> = {}, overrides = {}) =>
  post('/v1/models/pull', { model: 'hf:org/repo', ...body }, overrides);
const refusal = new ApiError({
  status: 403,
  type: 'permission_error',
  code: 'source_forbidden',
  param: 'model',
  message: 'No.',
});

describe('pulling a model', () => {
  it('streams what happens, ending with the model and [DONE]', async () => {
    const { puller, asked } = createFakePuller();
    const reply = await createApi(createContext({ puller }).context)(pull());
    expect(reply).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringMatching('text/event-stream') },
    });
    const lines = dataLines(await readBody(reply));
    expect(lines.pop()).toBe('[DONE]');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { status: 'resolving' },
      { status: 'downloading', file: 'tiny.gguf', completed: 1, total: 4, bytes_per_second: 2, seconds_left: null },
      { status: 'waiting', reason: 'the line is dead' },
      { status: 'verifying', file: 'tiny.gguf' },
      { status: 'done', already_here: false, model: expect.objectContaining({ id: 'tiny', object: 'model' }) },
    ]);
    expect(asked.map(({ source }) => source)).toEqual(['hf:org/repo']);
  });

  it('answers the model alone, with its sources, when it shall not stream', async () => {
    const { puller } = createFakePuller();
    const runner = createFakeRunner(undefined, [loadedModel()]);
    const reply = await createApi(createContext({ puller, runner }).context)(pull({ stream: false }));
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(await readJson(reply)).toMatchObject({ id: 'tiny', object: 'model', loaded: true, sources: [{}] });
  });

  it.each([true, false, null, undefined])(
    'answers with the status of what fails before a byte is fetched (stream %s)',
    async (stream) => {
      const { puller } = createFakePuller(() => thenThrow([{ status: 'resolving' }], refusal));
      const reply = await createApi(createContext({ puller }).context)(pull({ stream }));
      expect(reply.status).toBe(403);
      expect(await readJson(reply)).toEqual(errorBody(refusal.data));
    },
  );

  it('sends a later error as an event, and ends without [DONE]', async () => {
    const { puller } = createFakePuller(() => thenThrow([{ status: 'resolving' }, PROGRESS], refusal));
    const reply = await createApi(createContext({ puller }).context)(pull());
    expect(reply.status).toBe(200);
    expect(JSON.parse(dataLines(await readBody(reply)).at(-1) ?? '')).toEqual(errorBody(refusal.data));
  });

  it('hides internal errors from the client, and logs them', async () => {
    const { puller } = createFakePuller(() => thenThrow([PROGRESS], new Error('/home/me is full')));
    const { context, errors } = createContext({ puller });
    const text = await readBody(await createApi(context)(pull()));
    expect(text).not.toContain('/home/me');
    expect(JSON.parse(dataLines(text).at(-1) ?? '')).toMatchObject({ error: { code: 'server_error' } });
    expect(errors).toMatchObject([{ message: 'stream failed' }]);
  });

  it('does not look complete if it ends without its last event', async () => {
    const { puller } = createFakePuller(() => streamOf([PROGRESS]));
    const api = createApi(createContext({ puller }).context);
    expect(dataLines(await readBody(await api(pull()))).at(-1)).toMatch(/server_error/);
    expect((await api(pull({ stream: false }))).status).toBe(500);
  });

  it('says so if the fetched model can not be served', async () => {
    const { puller } = createFakePuller(() => streamOf([{ status: 'done', model: 'other', alreadyHere: true }]));
    const reply = await createApi(createContext({ puller }).context)(pull({ stream: false }));
    expect(reply.status).toBe(500);
    expect((await readJson(reply)).error.message).toMatch(/'other' has been fetched but can not be served/);
  });

  it('pings while nothing happens', async () => {
    const queue = createEventQueue<PullEvent>();
    const { puller } = createFakePuller(() => queue);
    const reply = await createApi(createContext({ puller, pingIntervalMs: 5 }).context)(pull());
    const pieces: string[] = [];
    for await (const piece of reply.body) {
      pieces.push(piece);
      if (pieces.filter((text) => text === SSE_PING).length === 3) queue.end();
    }
    expect(pieces.slice(0, 4)).toEqual(['data: {"status":"resolving"}\n\n', SSE_PING, SSE_PING, SSE_PING]);
  });

  it('ends when the client leaves a stream', async () => {
    const { puller, asked } = createFakePuller(() => createEventQueueOf(PROGRESS));
    const reply = await createApi(createContext({ puller }).context)(pull());
    for await (const _ of reply.body) break;
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  it('ends when the client leaves while it waits for the whole reply', async () => {
    const gone = new AbortController();
    const { puller, asked } = createFakePuller((signal) => {
      const queue = createEventQueueOf(PROGRESS);
      signal.addEventListener('abort', () => queue.fail(new Error('aborted')));
      return queue;
    });
    const { context, errors } = createContext({ puller });
    const reply = createApi(context)(pull({ stream: false }, { signal: gone.signal }));
    await eventually(() => expect(asked).toHaveLength(1));
    gone.abort();
    expect((await reply).status).toBe(500);
    expect(errors).toEqual([]);
  });

  it('is refused if there is no puller', async () => {
    const reply = await createApi(createContext().context)(pull());
    expect(reply.status).toBe(501);
    expect(await readJson(reply)).toMatchObject({ error: { code: 'not_supported_here' } });
  });

  it('needs a key where the API does', async () => {
    const { puller, asked } = createFakePuller();
    const reply = await createApi(createContext({ puller, apiKeys: plainKeys(['sk-one']) }).context)(pull());
    expect(reply.status).toBe(401);
    expect(asked).toEqual([]);
  });

  it.each([
    ['model', undefined, 'is required'],
    ['model', '', 'must not be empty'],
    ['model', 5, 'must be a string'],
    ['stream', 'yes', 'must be a boolean'],
  ])('is refused with %s %j: it %s', async (field, value, complaint) => {
    const { puller } = createFakePuller();
    const reply = await createApi(createContext({ puller }).context)(pull({ [field]: value }));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { param: field, message: `${field} ${complaint}.` } });
  });

  it('notes unknown fields', async () => {
    const { puller } = createFakePuller();
    const { context, noted } = createContext({ puller });
    await collect((await createApi(context)(pull({ quant: 'Q4' }))).body as AsyncIterable<string>);
    expect(noted).toEqual([['quant']]);
  });
});

function createEventQueueOf(...events: PullEvent[]) {
  const queue = createEventQueue<PullEvent>();
  for (const event of events) queue.push(event);
  return queue;
}
