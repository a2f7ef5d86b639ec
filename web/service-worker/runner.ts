import { modelNotFound, serverError } from '../../src/core/errors.ts';
import type { GenerationEvent } from '../../src/core/events.ts';
import type { GenerationRequest, QuestionKind, Questions, Runner } from '../../src/core/runner.ts';
import { askEngine, callEngine } from '../../src/core/wire.ts';
import type { BrowserModel, EngineState } from '../protocol.ts';
import type { Ask, Link } from './connect.ts';

/** As `connect`, for one request. */
export type Connect = (ask: Omit<Ask, 'askingPage'>, signal: AbortSignal) => Promise<Link | null>;

export interface RunnerOptions {
  connect: Connect;
  find: (id: string) => BrowserModel | undefined;
  /** What the engine had in memory when the request came. */
  state: () => EngineState | null;
  /** Called when a generation goes on after its first event has been found good. */
  onBegun: () => void;
}

/** Longest wait for the engine's state; a host that is frozen has none to tell, a busy machine takes its time. In ms. */
const STATE_WAIT_MS = 4000;

/** The core's way to the engine of another page. */
export function createRunner({ connect, find, state, onBegun }: RunnerOptions): Runner {
  const open = async (id: string, signal: AbortSignal) => {
    const model = find(id);
    if (!model) throw modelNotFound(id);
    return connect({ connection: { to: 'engine', model } }, signal);
  };

  return {
    async *generate(modelId: string, request: GenerationRequest, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
      const link = await open(modelId, signal);
      if (!link) return;
      try {
        const call = callEngine(link.port, request, signal);
        link.lost.then(call.fail);
        for await (const event of call.events) {
          yield event;
          onBegun();
        }
      } finally {
        link.close();
      }
    },

    async ask<K extends QuestionKind>(
      modelId: string,
      kind: K,
      question: Questions[K]['question'],
      signal: AbortSignal,
    ): Promise<Questions[K]['answer']> {
      const link = await open(modelId, signal);
      try {
        const call = link && askEngine(link.port, kind, question, signal);
        link?.lost.then(call?.fail);
        for await (const answer of call?.events ?? []) return answer;
        throw serverError('The client went away.');
      } finally {
        link?.close();
      }
    },

    loaded: () => state()?.loaded ?? [],
    moving: () => state()?.moving ?? [],
  };
}

/** What the engine has in memory now; null where no host is there or it does not answer. */
export async function askState(connect: Connect): Promise<EngineState | null> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), STATE_WAIT_MS);
  const link = await connect({ connection: { to: 'engine', model: null }, waitMs: 0 }, patience.signal).catch(
    () => null,
  );
  try {
    return await new Promise((resolve) => {
      if (!link || patience.signal.aborted) return resolve(null);
      link.port.onmessage = ({ data }) => resolve(data as EngineState);
      link.lost.then(() => resolve(null));
      patience.signal.addEventListener('abort', () => resolve(null));
    });
  } finally {
    clearTimeout(timer);
    link?.close();
  }
}
