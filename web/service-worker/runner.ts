import { WASM_MEMORY_BYTES } from '../../src/contract/engine-info.ts';
import { modelNotFound } from '../../src/contract/errors.ts';
import type { GenerationEvent } from '../../src/contract/events.ts';
import type { Runner } from '../../src/contract/runner.ts';
import { openCall } from '../../src/wire/call.ts';
import { eventsOf } from '../../src/wire/events-of.ts';
import { answerOf, callAsk } from '../../src/wire/inference-calls.ts';
import type { BrowserModel, EngineState } from '../protocol.ts';
import { callOver } from './call.ts';
import type { Connect } from './connect.ts';
import { generateOnLeaders, type OpenLink } from './takeover.ts';

export interface RunnerOptions {
  connect: Connect;
  find: (id: string) => BrowserModel | undefined;
  /** The engine's state when the request came. */
  state: EngineState | null;
  /** Called when a generation goes on after its first event has been found good. */
  onBegun: () => void;
}

/** Longest wait for the engine's state, in ms: a frozen leader never tells it, and a busy machine takes its time. */
const STATE_WAIT_MS = 4000;

/** The service worker's Runner: the engine of the leader. */
export function createRunner({ connect, find, state, onBegun }: RunnerOptions): Runner {
  const open = async (id: string, signal: AbortSignal, waitMs?: number) => {
    const model = find(id);
    if (!model) throw modelNotFound(id);
    return connect({ destination: { to: 'engine', model }, ...(waitMs !== undefined && { waitMs }) }, signal);
  };

  return {
    async *generate(modelId, request, context) {
      const events = eventsOf<GenerationEvent>((emit, signal) => {
        const openLink: OpenLink = (waitMs) => open(modelId, signal, waitMs);
        return generateOnLeaders(openLink, request, emit, { ...context, signal });
      }, context.signal);
      for await (const event of events) {
        yield event;
        onBegun();
      }
    },

    async ask(modelId, kind, question, context) {
      const link = await open(modelId, context.signal);
      return answerOf((emit) => callOver(link, (port) => callAsk(port, kind, question, emit, context)));
    },

    loaded: () => state?.loaded ?? [],
    moving: () => state?.moving ?? [],
    // One model at a time, and the next one takes its place.
    memory: () => ({ available: state?.available ?? WASM_MEMORY_BYTES, held: 0 }),
  };
}

/** Asks for the engine's state; null when no page leads or the leader does not answer. */
export async function askState(connect: Connect, requestId: string): Promise<EngineState | null> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), STATE_WAIT_MS);
  const { signal } = patience;
  try {
    const link = await connect({ destination: { to: 'engine', model: null }, waitMs: 0 }, signal);
    let told: EngineState | null = null;
    const note = (state: EngineState) => {
      told = state;
    };
    await callOver(link, (port) => openCall(port, null, note, { requestId, signal }));
    return told;
  } catch {
    // Without a leader nothing is loaded.
  } finally {
    clearTimeout(timer);
  }
  return null;
}
