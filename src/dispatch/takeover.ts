import type { EngineEvent, GenerationPaused } from '../contract/events.ts';
import type { GenerationRequest } from '../contract/generation-request.ts';
import { createJournal, type Journal } from './journal.ts';
import { createRetryPolicy } from './retry-policy.ts';

/**
 * Why a generation failed. `request`: an error of the request itself, which no other engine would answer differently. `unavailable`:
 * there is no engine to run it. `crashed`: its engine crashed. `killed`: its engine is gone, and something else caused that.
 */
export type Failure = 'request' | 'unavailable' | 'crashed' | 'killed';

/** The engines of one ground, one after the other, as the takeover of a generation needs them. */
export interface Engines<Request, Event> {
  /**
   * Runs a request on the present engine. For each event of the engine it calls `note` with that event and the events that the
   * caller is told of it. `retrying` is true if an engine has crashed before.
   */
  run(request: Request, note: (of: EngineEvent, events: Event[]) => void, retrying: boolean): Promise<void>;
  failureOf(error: unknown): Failure;
  /** Returns the error for the client of a request that is not retried any more. `cause` is that of the last crash. */
  toClientError(cause: unknown): unknown;
  /** What a client reads while its reply waits for the next engine. */
  pauseReason: string;
  /**
   * Waits until this request may be retried; see `RetryGate`. Absent where an engine runs one request at a time anyway. Returns null
   * if the signal aborts first.
   */
  enterRetry?(signal: AbortSignal): Promise<(() => void) | null>;
}

const nothing = () => {};

/**
 * Runs a generation to its end on as many engines as it takes. When an engine crashes, the next one evaluates the prompt and the
 * tokens drawn so far, and goes on from there. The caller gets each event once. Resolves after an abort too. Throws the error of
 * the request, or the error of a request that `createRetryPolicy` does not retry.
 */
export async function generateWithTakeover<
  Request extends Pick<GenerationRequest, 'choices' | 'journal' | 'resume'>,
  Event extends EngineEvent,
>(
  engines: Engines<Request, Event>,
  request: Request,
  emit: (event: Event | GenerationPaused) => void,
  signal: AbortSignal,
): Promise<void> {
  const journal = createJournal(request.choices);
  const mayRetry = createRetryPolicy();
  let crash: { error: unknown } | null = null;

  while (!signal.aborted) {
    const leave = crash && engines.enterRetry ? await engines.enterRetry(signal) : nothing;
    if (!leave) return;
    try {
      const note = noteIn(journal, emit, leave);
      return await engines.run(journal.resumed(request), note, crash !== null);
    } catch (error) {
      const failure = engines.failureOf(error);
      if (failure === 'request') throw error;
      if (failure === 'unavailable') throw crash?.error ?? error;
      if (!mayRetry(failure === 'killed', journal.tokens)) throw engines.toClientError(error);
      crash = { error };
      emit({ kind: 'pause', reason: engines.pauseReason });
    } finally {
      leave();
    }
  }
}

/** Returns the function that writes an engine's events into the journal and emits what the caller has not been told yet. */
function noteIn<Event extends EngineEvent>(journal: Journal, emit: (event: Event) => void, leave: () => void) {
  return (of: EngineEvent, events: Event[]) => {
    // The new engine has come further than the crashed engine: this request did not crash it.
    if (of.kind === 'drawn' || of.kind === 'text' || of.kind === 'finish') leave();
    journal.note(of);
    for (const event of events) for (const told of journal.toTell(event)) emit(told);
  };
}
