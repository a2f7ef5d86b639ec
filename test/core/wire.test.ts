import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { toGenerationRequest } from '../../src/core/api/generation-request.ts';
import { ApiError, invalidRequest, serverError } from '../../src/core/errors.ts';
import type { GenerationEvent } from '../../src/core/events.ts';
import type { Emit, GenerationRequest } from '../../src/core/runner.ts';
import { callEngine, serveEngine } from '../../src/core/wire.ts';
import { nodePort } from '../../src/engine/node-port.ts';
import { collect, modelCard, ORDINARY, text } from './api/fixtures.ts';

type Generate = (request: GenerationRequest, emit: Emit, signal: AbortSignal) => Promise<void>;

const request = toGenerationRequest(
  { model: 'tiny', messages: [{ role: 'user', content: 'Hello' }], logit_bias: { 3: -100 }, seed: 1 },
  modelCard(),
);

/** Both ends of a real port, with this engine behind it. */
function connect(generate: Generate, signal: AbortSignal = new AbortController().signal) {
  const { port1, port2 } = new MessageChannel();
  const onFailure = vi.fn();
  const served = serveEngine(nodePort(port2), generate, onFailure);
  const { events, fail } = callEngine(nodePort(port1), request, signal);
  return { events, fail, served, onFailure };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

/** Says one word, then waits for the cancel and notes it. */
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

describe('wire', () => {
  it('brings the request across whole', async () => {
    const generate = vi.fn<Generate>(async () => {});
    const { events } = connect(generate);
    await collect(events);
    expect(generate.mock.calls[0]?.[0]).toEqual(request);
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
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(broken);
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

/** Lets the event loop turn, messages on ports included. */
async function nextTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}
