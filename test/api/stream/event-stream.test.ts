import { describe, expect, it, vi } from 'vitest';
import { errorBody } from '../../../src/api/http/dialect.ts';
import { eventStream, type GenerationStreamEvent } from '../../../src/api/stream/event-stream.ts';
import { overloaded, serverError, shuttingDown } from '../../../src/contract/errors.ts';
import { collect, done, failing, finish, ORDINARY, progress, streamOf, text } from '../fixtures.ts';

/** Writes an event as its kind in brackets, and `progress` as nothing. */
const encoding = {
  encode: (event: GenerationStreamEvent) => (event.kind === 'progress' ? '' : `[${event.kind}]`),
  isLast: (event: GenerationStreamEvent) => event.kind === 'done',
};

const NEVER = new AbortController().signal;

async function stream(
  events: AsyncGenerator<GenerationStreamEvent>,
  onFailure: (error: unknown) => void = () => {},
  signal = NEVER,
) {
  return collect(eventStream(await events.next(), events, encoding, signal, onFailure));
}

const errorEvent = (error = serverError()) => `data: ${JSON.stringify(errorBody(error.data))}\n\n`;

describe('event stream', () => {
  it('has the text of each event that has any, and ends with [DONE]', async () => {
    expect(await stream(streamOf([progress(1, 1), text('a'), finish(), done()]))).toEqual([
      '[text]',
      '[finish]',
      '[done]',
      'data: [DONE]\n\n',
    ]);
  });

  it('begins with its opening, if it has one', async () => {
    const events = streamOf([done()]);
    const texts = await collect(
      eventStream(await events.next(), events, { ...encoding, opening: '[first]' }, NEVER, () => {}),
    );
    expect(texts).toEqual(['[first]', '[done]', 'data: [DONE]\n\n']);
  });

  it('ends with the error instead when the generation fails', async () => {
    const onFailure = vi.fn();
    const error = overloaded('full', 5);
    expect(await stream(failing([text('a')], error), onFailure)).toEqual(['[text]', errorEvent(error)]);
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('reports internal errors only to the server', async () => {
    const onFailure = vi.fn();
    const error = new Error('secret');
    expect(await stream(failing([text('a')], error), onFailure)).toEqual(['[text]', errorEvent()]);
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(error);
  });

  it('ends with what the server has to say when the server ends it', async () => {
    const onFailure = vi.fn();
    const ended = AbortSignal.abort(shuttingDown());
    for (const events of [streamOf([text('a')]), failing([text('a')], new Error('aborted'))])
      expect(await stream(events, onFailure, ended)).toEqual(['[text]', errorEvent(shuttingDown())]);
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('tells nothing and fails nothing once the client has left', async () => {
    const onFailure = vi.fn();
    const gone = AbortSignal.abort();
    for (const events of [streamOf([text('a')]), failing([text('a')], new Error('aborted'))]) {
      const onEnd = vi.fn();
      const texts = await collect(eventStream(await events.next(), events, encoding, gone, onFailure, onEnd));
      expect(texts).toEqual(['[text]']);
      expect(onEnd).toHaveBeenCalledExactlyOnceWith(null);
    }
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('does not look complete if the generation ends without its last event', async () => {
    expect(await stream(streamOf([text('a')]))).toEqual(['[text]', errorEvent()]);
    expect(await stream(streamOf([]))).toEqual([errorEvent()]);
  });

  it('ends the generation when it is ended early', async () => {
    let ended = false;
    async function* events() {
      try {
        yield* ORDINARY;
      } finally {
        ended = true;
      }
    }
    const rest = events();
    for await (const _ of eventStream(await rest.next(), rest, encoding, NEVER, () => {})) break;
    expect(ended).toBe(true);
  });
});
