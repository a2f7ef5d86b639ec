import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import type { CallContext } from '../../src/contract/call-context.ts';
import { ApiError, invalidRequest, serverError } from '../../src/contract/errors.ts';
import type { GenerationEvent } from '../../src/contract/events.ts';
import type { GenerationRequest } from '../../src/contract/generation-request.ts';
import type { Inference } from '../../src/contract/inference.ts';
import { MEDIA_MARK, type Media } from '../../src/contract/media.ts';
import type { Questions } from '../../src/contract/questions.ts';
import { nodePort } from '../../src/engine/node/port.ts';
import type { Call } from '../../src/wire/call.ts';
import { eventsOf } from '../../src/wire/events-of.ts';
import { answerOf, callAsk, callGenerate, serveGathered, serveInference } from '../../src/wire/inference-calls.ts';
import { chatGeneration, collect, ORDINARY, text } from '../api/fixtures.ts';
import { call, chat } from '../kit/generation.ts';

type ChatModel = Inference<GenerationRequest, GenerationEvent>;
type Generate = ChatModel['generate'];

const request = chatGeneration({ logit_bias: { 3: -100 }, seed: 1 }, {}, ['secret']);

/** Opens a real port with this model behind it. */
function serve(model: Partial<ChatModel>) {
  const { port1, port2 } = new MessageChannel();
  const onFailure = vi.fn<(error: unknown, context: CallContext) => void>();
  const nothing: ChatModel = {
    generate: () => Promise.reject(new Error('no generation was expected')),
    ask: () => Promise.reject(new Error('no question was expected')),
  };
  const served = serveInference(nodePort(port2), { ...nothing, ...model }, onFailure);
  return { port: nodePort(port1), served, onFailure };
}

/** Calls for a generation. Returns the call and both ends of its port. */
function connect(generate: Generate, signal: AbortSignal = new AbortController().signal) {
  const { port, ...engine } = serve({ generate });
  let opened: Call | undefined;
  const events = eventsOf<GenerationEvent>((emit, signal) => {
    opened = callGenerate<GenerationRequest, GenerationEvent>(port, request, emit, call(signal));
    return opened.done;
  }, signal);
  return { events, fail: (error: unknown) => opened?.fail(error), ...engine };
}

const question: Questions['embed']['question'] = { inputs: ['Hello', [1, 2]] };

/** Like `connect`, but asks a question. */
function inquire(answer: ChatModel['ask'], signal: AbortSignal = new AbortController().signal) {
  const { port, ...engine } = serve({ ask: answer });
  let fail: (error: unknown) => void = () => {};
  const answered = answerOf<'embed'>((emit) => {
    const opened = callAsk(port, 'embed', question, emit, call(signal));
    fail = opened.fail;
    return opened.done;
  });
  return { answered, fail: (error: unknown) => fail(error), ...engine };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

/** Makes an engine that emits one word, then waits for the cancel and records it. */
function patientEngine() {
  const seen: string[] = [];
  const generate: Generate = async (_, emit, signal) => {
    seen.push('started');
    emit(text('word'));
    await aborted(signal);
    seen.push('cancelled');
  };
  return { seen, generate };
}

describe('a generation over the wire', () => {
  it('brings the request across whole', async () => {
    const generate = vi.fn<Generate>(async () => {});
    const { events } = connect(generate);
    await collect(events);
    expect(generate.mock.calls[0]?.[0]).toEqual(request);
  });

  it('brings images and recordings across', async () => {
    const generate = vi.fn<Generate>(async () => {});
    const { port } = serve({ generate });
    const media: Media[] = [
      { kind: 'image', bytes: Uint8Array.of(1, 2, 3) },
      { kind: 'audio', format: 'mp3', bytes: Uint8Array.of(4) },
    ];
    const prompt = chat([{ role: 'user', content: MEDIA_MARK.repeat(2), media }]);
    await callGenerate(port, { ...request, prompt }, () => {}, call()).done;
    expect(generate.mock.calls[0]?.[0].prompt).toEqual(prompt);
  });

  it('brings the events across in order', async () => {
    const many = Array.from({ length: 500 }, (_, index) => text(String(index)));
    const said: GenerationEvent[] = [...ORDINARY, ...many];
    const { events, served, onFailure } = connect(async (_, emit) => said.forEach(emit));
    expect(await collect(events)).toEqual(said);
    await served;
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('brings an ApiError across with all its fields', async () => {
    const data = {
      ...invalidRequest('no', 'top_k', 'some_code').data,
      status: 418,
      headers: { 'retry-after': '3' },
    };
    const { events, served, onFailure } = connect(async (_, emit) => {
      emit(text('before'));
      throw new ApiError(data);
    });
    const seen: GenerationEvent[] = [];
    const error = await (async () => {
      for await (const event of events) seen.push(event);
    })().catch((thrown: unknown) => thrown);
    expect(seen).toEqual([text('before')]);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).data).toEqual(data);
    await served;
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('tells the caller nothing of the inside of another error, but its own side everything', async () => {
    const broken = new Error('secret');
    const { events, served, onFailure } = connect(async () => {
      throw broken;
    });
    const error = await collect(events).catch((thrown: unknown) => thrown);
    expect((error as ApiError).data).toEqual(serverError().data);
    await served;
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(broken, expect.objectContaining({ requestId: 'test' }));
  });

  it('cancels the generation on an abort and ends the iteration', async () => {
    const caller = new AbortController();
    const { seen, generate } = patientEngine();
    const { events, served } = connect(generate, caller.signal);
    const said: GenerationEvent[] = [];
    for await (const event of events) {
      said.push(event);
      caller.abort();
    }
    expect(said).toEqual([text('word')]);
    await served;
    expect(seen).toEqual(['started', 'cancelled']);
  });

  it('ends the iteration on an abort without waiting for the engine', async () => {
    const caller = new AbortController();
    const { events } = connect(() => new Promise(() => {}), caller.signal);
    const collected = collect(events);
    caller.abort();
    expect(await collected).toEqual([]);
  });

  it('cancels the generation when the iteration ends early', async () => {
    const { seen, generate } = patientEngine();
    const { events, served } = connect(generate);
    for await (const _ of events) break;
    await served;
    expect(seen).toEqual(['started', 'cancelled']);
  });

  it('cancels the generation when the iteration ends while it waits for an event', async () => {
    const { seen, generate } = patientEngine();
    const { events, served } = connect(generate);
    const iterator = events[Symbol.asyncIterator]();
    await iterator.next();
    void iterator.next();
    void iterator.return?.();
    const outcome = await Promise.race([served.then(() => 'cancelled'), nextTurns(20).then(() => 'still running')]);
    expect(outcome).toBe('cancelled');
    expect(seen).toEqual(['started', 'cancelled']);
  });

  it('never runs the engine for a caller that gave up before', async () => {
    const generate = vi.fn<Generate>(async () => {});
    const { events, served } = connect(generate, AbortSignal.abort());
    expect(await collect(events)).toEqual([]);
    await served;
    expect(generate).not.toHaveBeenCalled();
  });

  it('ends the iteration with an error when the other end is known to be dead', async () => {
    const { events, fail } = connect(() => new Promise(() => {}));
    fail(serverError());
    const error = await collect(events).catch((thrown: unknown) => thrown);
    expect((error as ApiError).data).toEqual(serverError().data);
  });

  it('keeps its outcome when the other end dies after it', async () => {
    const { events, fail, served } = connect(async (_, emit) => emit(text('all')));
    await served;
    const collected = collect(events);
    await nextTurns(5);
    fail(serverError());
    expect(await collected).toEqual([text('all')]);
  });

  it('leaves no listener on the signal when it has ended', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const { events } = connect(async () => {}, signal);
    await collect(events);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});

describe('a generation whose tokens are gathered', () => {
  /** Serves one generation over a real port. Returns its events, the messages that went out and when each of them went, in ms. */
  function gather(generate: Generate, signal: AbortSignal = new AbortController().signal) {
    const { port1, port2 } = new MessageChannel();
    const messages: { data: unknown; at: number }[] = [];
    const plain = nodePort(port2);
    const noting = {
      postMessage(data: unknown) {
        messages.push({ data, at: performance.now() });
        plain.postMessage(data);
      },
      close: () => plain.close(),
      get onmessage() {
        return plain.onmessage;
      },
      set onmessage(handler) {
        plain.onmessage = handler;
      },
    };
    const ask = () => Promise.reject(new Error('no question was expected'));
    const served = serveGathered<GenerationRequest, GenerationEvent>(noting, { generate, ask }, () => {});
    const events = eventsOf<GenerationEvent>(
      (emit, signal) => callGenerate(nodePort(port1), request, emit, call(signal)).done,
      signal,
    );
    return { events, served, messages };
  }

  it('has the same events in the same order, in far fewer messages', async () => {
    const many = Array.from({ length: 500 }, (_, index) => text(String(index)));
    const { events, served, messages } = gather(async (_, emit) => many.forEach(emit));
    expect(await collect(events)).toEqual(many);
    await served;
    expect(messages.length).toBeLessThan(5);
  });

  it('sends the first token at once, also right after the progress of its prompt', async () => {
    const progress = { kind: 'progress', cache: 0, total: 2, timeMs: 1 } as const;
    const said: GenerationEvent[] = [{ ...progress, processed: 1 }, { ...progress, processed: 2 }, text('a')];
    const patient = new AbortController();
    const { events, messages } = gather(async (_, emit, signal) => {
      for (const event of said) emit(event);
      expect(messages.flatMap(({ data }) => data)).toEqual(said.map((event) => ({ kind: 'event', event })));
      await aborted(signal);
    }, patient.signal);
    const seen: GenerationEvent[] = [];
    for await (const event of events) if (seen.push(event) === said.length) patient.abort();
    expect(seen).toEqual(said);
  });

  it('sends what was said before an error, and then the error', async () => {
    const { events } = gather(async (_, emit) => {
      for (const word of ['a', 'b', 'c']) emit(text(word));
      throw serverError();
    });
    const seen: GenerationEvent[] = [];
    const reading = (async () => {
      for await (const event of events) seen.push(event);
    })();
    await expect(reading).rejects.toBeInstanceOf(ApiError);
    expect(seen).toEqual([text('a'), text('b'), text('c')]);
  });

  it('is cancelled at once, whatever waits to be sent', async () => {
    const caller = new AbortController();
    const { events, served } = gather(async (_, emit, signal) => {
      for (const word of ['a', 'b', 'c']) emit(text(word));
      await aborted(signal);
    }, caller.signal);
    for await (const _ of events) caller.abort();
    await served;
  });
});

describe('a question over the wire', () => {
  const answer = { vectors: [[0.6, 0.8]], tokens: 7 };

  it('comes across whole, and so does its answer', async () => {
    const asked: unknown[] = [];
    const { answered, served, onFailure } = inquire((async (kind: string, what: unknown) => {
      asked.push([kind, what]);
      return answer;
    }) as ChatModel['ask']);
    expect(await answered).toEqual(answer);
    await served;
    expect(asked).toEqual([['embed', question]]);
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('gives its answer, or fails when it ends without one', async () => {
    const gone = new AbortController();
    expect(await inquire((async () => answer) as ChatModel['ask']).answered).toEqual(answer);
    const { answered } = inquire(() => new Promise(() => {}), gone.signal);
    gone.abort();
    await expect(answered).rejects.toBeInstanceOf(ApiError);
  });

  it('is answered with the ApiError of an engine that can not', async () => {
    const error = invalidRequest('no', 'model', 'unsupported_parameter');
    const { answered, served, onFailure } = inquire(() => Promise.reject(error));
    const thrown = await answered.catch((caught: unknown) => caught);
    expect(thrown).toBeInstanceOf(ApiError);
    expect((thrown as ApiError).data).toEqual(error.data);
    await served;
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('tells the caller nothing of the inside of another error, but its own side everything', async () => {
    const broken = new Error('secret');
    const { answered, served, onFailure } = inquire(() => Promise.reject(broken));
    const thrown = await answered.catch((caught: unknown) => caught);
    expect((thrown as ApiError).data).toEqual(serverError().data);
    await served;
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(broken, expect.objectContaining({ requestId: 'test' }));
  });

  it('stops waiting at an abort, and aborts the engine', async () => {
    const caller = new AbortController();
    let heard: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const { answered, served, onFailure } = inquire(
      (async (_: string, __: unknown, signal: AbortSignal) => {
        heard();
        await aborted(signal);
        return answer;
      }) as ChatModel['ask'],
      caller.signal,
    );
    answered.catch(() => {});
    await begun;
    caller.abort();
    await expect(answered).rejects.toBeInstanceOf(ApiError);
    await served;
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('is never asked by a caller that gave up before', async () => {
    const ask = vi.fn(() => Promise.reject(new Error('it was asked')));
    const { answered, served } = inquire(ask, AbortSignal.abort());
    await expect(answered).rejects.toBeInstanceOf(ApiError);
    await served;
    expect(ask).not.toHaveBeenCalled();
  });

  it('ends with an error when the other end is known to be dead', async () => {
    const { answered, fail } = inquire(() => new Promise(() => {}));
    fail(serverError());
    await expect(answered).rejects.toMatchObject({ data: serverError().data });
  });
});

/** Runs `count` turns of the event loop, so that messages on ports arrive. */
async function nextTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}
