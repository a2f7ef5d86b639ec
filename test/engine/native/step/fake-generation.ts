import type { EngineEvent } from '../../../../src/contract/events.ts';
import type { Drawn } from '../../../../src/engine/native/draw/token-drawer.ts';
import type { TokenSource } from '../../../../src/engine/native/draw/token-source.ts';
import {
  createGeneration,
  type GenerationOptions,
  type GenerationOutcome,
} from '../../../../src/engine/native/generation.ts';
import { NO_ADAPTERS } from '../../../../src/engine/native/llama/adapters.ts';
import type { Sequence } from '../../../../src/engine/native/llama/sequence.ts';

export const encode = (text: string): number[] => [...new TextEncoder().encode(text)];

const decode = (bytes: number[]): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));

/** Makes a sequence without a KV cache. */
export function createFakeSequence({ used = 0, room = 1_000_000 } = {}): Sequence {
  const tokens = Array.from({ length: used }, () => -1);
  return {
    id: 0,
    tokens,
    room,
    get length() {
      return tokens.length;
    },
    positionAfter: (length) => length,
    extend: (added) => void tokens.push(...added),
    async truncate(length) {
      tokens.length = Math.min(tokens.length, length);
    },
    undo: async () => {},
    copyFrom: () => Promise.reject(new Error('there is nothing to copy')),
    adopt: () => Promise.reject(new Error('there is nothing to load')),
  };
}

/** Makes a source of `count` tokens, numbered from 0. It ends the turn after the last. */
export function createFakeSource(count: number, likely?: (index: number) => Omit<Drawn, 'token'>) {
  const places: number[][] = [];
  const rooms: number[] = [];
  let next = 0;
  const state = { places, rooms, closed: 0 };
  const source: TokenSource = {
    highest: 1,
    opening: [],
    guesses: { made: 0, right: 0 },
    async propose(room) {
      rooms.push(room);
      return { tokens: [next - 1], logitsAt: [0] };
    },
    async draw(given) {
      places.push([...given]);
      const kept = places.length === 1 ? 0 : 1;
      if (next === count) return { tokens: [], kept, ended: true };
      const token = next++;
      return { tokens: [{ token, ...likely?.(token) }], kept, ended: false };
    },
    close() {
      state.closed += 1;
    },
  };
  return { source, state };
}

/** Makes a generation whose reply has tokens of these bytes, and records its events and outcomes. */
export function createRun(pieces: number[][], more: Partial<GenerationOptions> = {}) {
  const events: EngineEvent[] = [];
  const outcomes: { outcome: GenerationOutcome | null; error: unknown }[] = [];
  const { source, state } = createFakeSource(pieces.length);
  const generation = createGeneration(
    {
      choice: 0,
      sequence: createFakeSequence(),
      prompt: [100],
      before: [],
      replayed: { tokens: [], logprobs: [] },
      journal: false,
      cached: 0,
      onPrefill: async () => {},
      pauseAt: () => Number.POSITIVE_INFINITY,
      source,
      textOf: (tokens) => decode(tokens.flatMap((token) => pieces[token] ?? [])),
      stop: [],
      banned: [],
      maxTokens: null,
      toLogprob: () => {
        throw new Error('no likelihood was asked for');
      },
      emit: (event) => events.push(event),
      adapters: NO_ADAPTERS,
      signal: new AbortController().signal,
      ...more,
    },
    (outcome, error) => outcomes.push({ outcome, error }),
  );
  return { generation, events, outcomes, source: state };
}

/** Steps a generation as the step loop does, with at most `promptTokens` of its prompt, and returns the tokens that it evaluated. */
export async function step({ generation }: ReturnType<typeof createRun>, promptTokens = 64): Promise<number[] | null> {
  const part = generation.begin(Math.min(generation.demand.prompt, promptTokens));
  if (part) await generation.end(part.logitsAt);
  return part && [...part.tokens];
}

/** Steps a generation to its end. */
export async function runToEnd(run: ReturnType<typeof createRun>, promptTokens = 64) {
  while (!run.generation.finished) await step(run, promptTokens);
  return run;
}

/** The text of a generation and why it ended. */
export function replyOf(events: EngineEvent[]) {
  const reasons = events.flatMap((event) => (event.kind === 'finish' ? [event.reason] : []));
  return { text: events.map((event) => (event.kind === 'text' ? event.text : '')).join(''), reasons };
}
