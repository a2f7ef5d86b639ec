import type { CallContext } from '../../src/contract/call-context.ts';
import { ApiError } from '../../src/contract/errors.ts';
import type { GenerationEvent, JournaledEvent } from '../../src/contract/events.ts';
import type { GenerationRequest } from '../../src/contract/generation-request.ts';
import { type Failure, generateWithTakeover } from '../../src/dispatch/takeover.ts';
import { callGenerate } from '../../src/wire/inference-calls.ts';
import { callOver } from './call.ts';
import type { Link } from './connect.ts';

/** How long to wait for the next engine, in ms: a tab has to notice that the last one is gone, and to start its own. */
const NEXT_LEADER_WAIT_MS = 10_000;

/** Opens a link to the leader's engine. Waits `waitMs` for a leader, or the usual time without it. */
export type OpenLink = (waitMs?: number) => Promise<Link | null>;

/**
 * Runs a generation on the leader's engine, and on the next engine when that one is gone: in another tab if its tab was closed or is
 * frozen, in the same tab if the engine crashed or its graphics card was lost. The journal is kept here, in the service worker, which
 * outlives both. Throws as `generateWithTakeover` does.
 */
export function generateOnLeaders(
  open: OpenLink,
  request: GenerationRequest,
  emit: (event: GenerationEvent) => void,
  context: CallContext,
): Promise<void> {
  return generateWithTakeover<GenerationRequest, GenerationEvent>(
    {
      async run(resumed, note, retrying) {
        const link = await open(retrying ? NEXT_LEADER_WAIT_MS : undefined);
        await callOver(link, (port) =>
          callGenerate<GenerationRequest, JournaledEvent>(port, resumed, ({ of, events }) => note(of, events), context),
        );
      },
      failureOf,
      toClientError: (cause) => cause,
      pauseReason: 'the engine that ran the model is gone; the reply goes on with the next one',
    },
    request,
    emit,
    context.signal,
  );
}

/**
 * Tells a lost engine from one that crashed. The request is not to blame for a tab that was closed or froze, a worker that hung or
 * a graphics card that was lost; it may be for a WebAssembly runtime that crashes while it runs the request.
 */
function failureOf(error: unknown): Failure {
  switch (error instanceof ApiError ? error.data.code : null) {
    case 'engine_lost':
      return 'killed';
    case 'engine_crashed':
      return 'crashed';
    case 'no_engine':
      return 'unavailable';
    default:
      return 'request';
  }
}
