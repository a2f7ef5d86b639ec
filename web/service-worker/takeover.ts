import type { CallContext } from '../../src/contract/call-context.ts';
import { ApiError } from '../../src/contract/errors.ts';
import type { GenerationEvent, JournaledEvent } from '../../src/contract/events.ts';
import type { GenerationRequest } from '../../src/contract/generation-request.ts';
import { createJournal } from '../../src/dispatch/journal.ts';
import { createSuspicion } from '../../src/dispatch/retry-policy.ts';
import { callGenerate } from '../../src/wire/inference-calls.ts';
import { callOver } from './call.ts';
import type { Link } from './connect.ts';

/** How long to wait for the next leader, in ms: it has to notice that the last one is gone, and to start its engine. */
const NEXT_LEADER_WAIT_MS = 10_000;

/** Opens a link to the leader's engine, and waits for a leader for so long; the usual time where none is given. */
export type OpenLink = (waitMs?: number) => Promise<Link | null>;

/**
 * Runs a generation to its end, whatever number of leaders that takes: when one goes, the next takes the reply up where it was.
 * Nothing is said twice, and nothing is missing. The journal is kept here, where the reply goes to its page. Throws the loss when
 * no other leader comes.
 */
export async function* generateToTheEnd(
  open: OpenLink,
  request: GenerationRequest,
  context: CallContext,
): AsyncGenerator<GenerationEvent> {
  const journal = createJournal(request.choices);
  const isGuilty = createSuspicion();
  let loss: ApiError | null = null;

  while (true) {
    try {
      const link = await open(loss ? NEXT_LEADER_WAIT_MS : undefined);
      const resumed = journal.resumed(request);
      const journaled = callOver<JournaledEvent>(link, (port) => callGenerate(port, resumed, context));
      for await (const { of, events } of journaled) {
        journal.note(of);
        yield* events.flatMap(journal.toTell);
      }
      return;
    } catch (error) {
      if (loss && codeOf(error) === 'no_engine') throw loss;
      if (!isLoss(error)) throw error;
      // A leader goes because its tab is closed; an engine crashes of what it works on.
      if (isGuilty(codeOf(error) === 'engine_lost', journal.tokens)) throw error;
      loss = error;
      yield { kind: 'pause', reason: 'the tab that ran the model is gone; the reply goes on in another one' };
    }
  }
}

/** Whether the engine is gone: its tab, or the WebAssembly runtime within it. */
function isLoss(error: unknown): error is ApiError {
  return codeOf(error) === 'engine_lost' || codeOf(error) === 'engine_crashed';
}

function codeOf(error: unknown): string | null {
  return error instanceof ApiError ? error.data.code : null;
}
