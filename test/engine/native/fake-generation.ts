import type { EngineEvent } from '../../../src/core/events.ts';
import {
  createGeneration,
  type GenerationOptions,
  type GenerationOutcome,
} from '../../../src/engine/native/generation.ts';
import type { Token } from '../../../src/engine/native/llama.ts';
import type { Slot } from '../../../src/engine/native/slot.ts';
import type { Drawn, TokenSource } from '../../../src/engine/native/token-source.ts';

export const encode = (text: string): number[] => [...new TextEncoder().encode(text)];

const decode = (bytes: number[]): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));

/** Makes a slot that evaluates nothing and records the tokens that it was given. */
export function createFakeSlot({ used = 0, contextSize = 1_000_000 } = {}) {
  const evaluated: number[][] = [];
  const sequence = { nextTokenIndex: used, contextSize };
  const slot = {
    index: 0,
    sequence,
    busy: true,
    usedAt: 0,
    async evaluate(tokens: number[]) {
      evaluated.push([...tokens]);
      sequence.nextTokenIndex += tokens.length;
      return undefined;
    },
  };
  return { slot: slot as unknown as Slot, sequence, evaluated };
}

/** Makes a source of `count` tokens, numbered from 0. It ends the turn after the last. */
export function createFakeSource(count: number, likely?: (index: number) => Omit<Drawn, 'token'>) {
  const given: number[][] = [];
  let next = 0;
  const state = { given, closed: 0 };
  const source: TokenSource = {
    async next(unevaluated) {
      given.push([...unevaluated]);
      if (next === count) return null;
      const token = next++ as Token;
      return { token, ...likely?.(token) };
    },
    async close() {
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
      slot: createFakeSlot().slot,
      prompt: [100 as Token],
      replayed: { tokens: [], logprobs: [] },
      journal: false,
      cached: 0,
      onPrefill: () => {},
      source,
      history: [],
      textOf: (tokens) => decode(tokens.flatMap((token) => pieces[token] ?? [])),
      stop: [],
      banned: [],
      maxTokens: null,
      toLogprob: () => {
        throw new Error('no likelihood was asked for');
      },
      emit: (event) => events.push(event),
      signal: new AbortController().signal,
      ...more,
    },
    (outcome, error) => outcomes.push({ outcome, error }),
  );
  return { generation, events, outcomes, source: state };
}

/** Steps a generation to its end as the step loop does, with at most `batchSize` prompt tokens per step. */
export async function runToEnd(run: ReturnType<typeof createRun>, batchSize = 64) {
  while (!run.generation.finished) await run.generation.step(Math.min(run.generation.pendingPrompt, batchSize));
  return run;
}

/** The text of a generation and why it ended. */
export function replyOf(events: EngineEvent[]) {
  const reasons = events.flatMap((event) => (event.kind === 'finish' ? [event.reason] : []));
  return { text: events.map((event) => (event.kind === 'text' ? event.text : '')).join(''), reasons };
}
