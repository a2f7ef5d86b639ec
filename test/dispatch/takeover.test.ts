import { describe, expect, it, vi } from 'vitest';
import type { EngineEvent, GenerationEvent, GenerationPaused } from '../../src/contract/events.ts';
import type { GenerationRequest } from '../../src/contract/generation-request.ts';
import { type Engines, type Failure, generateWithTakeover } from '../../src/dispatch/takeover.ts';
import { chatGeneration } from '../api/fixtures.ts';

/** An error of a scripted engine, with the kind of failure that it stands for. */
class ScriptedFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure);
    this.failure = failure;
  }
}

type Run = Engines<GenerationRequest, EngineEvent>['run'];

const drawn = (token: number): EngineEvent => ({ kind: 'drawn', choice: 0, token });
const words = (text: string): GenerationEvent => ({ kind: 'text', choice: 0, text });
const finish: GenerationEvent = { kind: 'finish', choice: 0, reason: 'stop' };

/** Runs a generation on engines that do what `runs` say, one after the other. */
async function run(runs: Run[], overrides: Partial<Engines<GenerationRequest, EngineEvent>> = {}) {
  const said: (EngineEvent | GenerationPaused)[] = [];
  const requests: GenerationRequest[] = [];
  const left = [...runs];
  const engines: Engines<GenerationRequest, EngineEvent> = {
    async run(request, note, retrying) {
      requests.push(structuredClone(request));
      await left.shift()?.(request, note, retrying);
    },
    failureOf: (error) => (error instanceof ScriptedFailure ? error.failure : 'request'),
    toClientError: (cause) => new Error('given up', { cause }),
    pauseReason: 'wait',
    ...overrides,
  };
  const outcome = await generateWithTakeover(
    engines,
    chatGeneration(),
    (event) => said.push(event),
    new AbortController().signal,
  ).then(
    () => null,
    (error: unknown) => error,
  );
  return { said, requests, outcome };
}

/** An engine that says these events and then crashes, or does not. */
const says =
  (events: EngineEvent[], failure?: Failure): Run =>
  async (_, note) => {
    for (const event of events) note(event, [event]);
    if (failure) throw new ScriptedFailure(failure);
  };

describe('a generation with takeover', () => {
  it('passes on what the engine says, without the tokens that only the journal needs', async () => {
    const { said, outcome } = await run([says([drawn(7), words('a'), finish])]);
    expect(outcome).toBeNull();
    expect(said).toEqual([words('a'), finish]);
  });

  it.each<Failure>(['crashed', 'killed'])(
    'goes on with the tokens drawn so far when the engine is %s',
    async (failure) => {
      const { said, requests, outcome } = await run([
        says([drawn(7), words('a')], failure),
        says([drawn(8), words('b'), finish]),
      ]);
      expect(outcome).toBeNull();
      expect(said).toEqual([words('a'), { kind: 'pause', reason: 'wait' }, words('b'), finish]);
      expect(requests[0]).not.toHaveProperty('resume');
      expect(requests[1]?.resume).toMatchObject([{ count: 1, tokens: [7] }]);
    },
  );

  it('throws an error of the request itself, and does not retry', async () => {
    const broken = new TypeError('broken');
    const { requests, outcome } = await run([() => Promise.reject(broken), says([finish])]);
    expect(outcome).toBe(broken);
    expect(requests).toHaveLength(1);
  });

  it('gives up when the request crashes one engine after the other', async () => {
    const { requests, outcome } = await run([says([], 'crashed'), says([], 'crashed'), says([finish])]);
    expect(outcome).toMatchObject({ message: 'given up', cause: { failure: 'crashed' } });
    expect(requests).toHaveLength(2);
  });

  it('throws the loss of the last engine when no other one comes', async () => {
    const { outcome } = await run([says([drawn(1)], 'killed'), says([], 'unavailable')]);
    expect(outcome).toMatchObject({ failure: 'killed' });
  });

  it('throws that there is no engine if there never was one', async () => {
    expect((await run([says([], 'unavailable')])).outcome).toMatchObject({ failure: 'unavailable' });
  });

  it('waits for its turn before a retry alone, and ends the turn with the first token of the new engine', async () => {
    const order: string[] = [];
    const leave = vi.fn(() => void order.push('left'));
    const enterRetry = vi.fn(async () => {
      order.push('entered');
      return leave;
    });
    const second: Run = async (_, note) => {
      note({ kind: 'progress', cache: 0, processed: 1, total: 1, timeMs: 1 }, []);
      order.push('evaluated');
      note(drawn(8), []);
      order.push('drew');
    };
    await run([says([drawn(7)], 'crashed'), second], { enterRetry });
    expect(enterRetry).toHaveBeenCalledOnce();
    expect(order.slice(0, 4)).toEqual(['entered', 'evaluated', 'left', 'drew']);
  });

  it('ends without an error when the signal aborts while it waits for its turn', async () => {
    const { outcome, requests } = await run([says([], 'crashed')], { enterRetry: async () => null });
    expect(outcome).toBeNull();
    expect(requests).toHaveLength(1);
  });

  it('tells the engine that it is a retry', async () => {
    const retrying: boolean[] = [];
    const first: Run = async (_, __, isRetry) => {
      retrying.push(isRetry);
      throw new ScriptedFailure('killed');
    };
    await run([first, async (_, __, isRetry) => void retrying.push(isRetry)]);
    expect(retrying).toEqual([false, true]);
  });
});
