import type { CallContext } from '../../src/contract/call-context.ts';
import { ApiError } from '../../src/contract/errors.ts';
import type { GenerationEvent, JournaledEvent } from '../../src/contract/events.ts';
import type { GenerationRequest } from '../../src/contract/generation-request.ts';
import { type Failure, generateWithTakeover } from '../../src/dispatch/takeover.ts';
import { callGenerate } from '../../src/wire/inference-calls.ts';
import { callOver } from './call.ts';
import type { Link } from './connect.ts';

/** How long to wait for the next leader, in ms: it has to notice that the last leader is gone, and to start its engine. */
const NEXT_LEADER_WAIT_MS = 10_000;

/** Opens a link to the leader's engine. Waits `waitMs` for a leader, or the usual time without it. */
export type OpenLink = (waitMs?: number) => Promise<Link | null>;

/**
 * Runs a generation in the leader's tab, and in the next leader's when the first one is gone. The journal is kept here, in the
 * service worker, which outlives the tabs. Throws as `generateWithTakeover` does.
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
      pauseReason: 'the tab that ran the model is gone; the reply goes on in another one',
    },
    request,
    emit,
    context.signal,
  );
}

/** A leader is gone because its tab was closed; a WebAssembly runtime crashes because of the request that it runs. */
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
