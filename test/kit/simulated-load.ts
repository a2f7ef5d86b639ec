import { NO_ADAPTERS } from '../../src/engine/native/llama/adapters.ts';
import type { Part } from '../../src/engine/native/llama/pass-order.ts';
import type { StepDriver } from '../../src/engine/native/step/step-driver.ts';
import type { SimulatedDecoder } from './simulated-gpu.ts';

/** The requests of a simulated run: each stream sends several, one after the other. */
export interface SimulatedLoad {
  streams: number;
  requests: number;
  promptTokens: number;
  /** Prompts are up to this share longer than `promptTokens`; by default all are equally long. */
  spread?: number;
  replyTokens: number;
}

/** The figures of a simulated run. */
export interface SimulatedRun {
  tokensPerSecond: number;
  /** The median time of the steps in which all streams have a reply and none a prompt, in ms. */
  stepMs: number;
  firstTokenMs: { p50: number; p99: number };
  /** The micro-batches of such steps, as in `16x1`, and how many of these steps had them. */
  batches: Map<string, number>;
}

/** A stream with the tokens that its current request still needs. */
interface Stream {
  sequence: number;
  prompt: number;
  reply: number;
  at: number;
  /** The length of the whole prompt. */
  length: number;
  /** When the request was sent, in ms. */
  since: number;
  /** The number of requests that are left, this one included. */
  requests: number;
}

/**
 * Runs requests on a simulated decoder, step by step, with a driver of it.
 *
 * @param drawMs the time of the host for each drawn token
 */
export async function simulateLoad(
  { clock, spend, passes }: SimulatedDecoder,
  driver: StepDriver,
  drawMs: number,
  load: SimulatedLoad,
): Promise<SimulatedRun> {
  let streams = Array.from({ length: load.streams }, (_, sequence) => begin(load, sequence, load.requests, clock()));
  const start = clock();
  const firstTokens: number[] = [];
  const stepTimes: number[] = [];
  const batches = new Map<string, number>();
  let drawn = 0;

  while (streams.length > 0) {
    const before = clock();
    const isFull = streams.length === load.streams && streams.every(({ prompt }) => prompt === 0);
    const parts = partsOf(streams, driver);
    await driver.decode(parts, new AbortController().signal, NO_ADAPTERS);
    const draws = parts.filter(({ logitsAt }) => logitsAt.length > 0).length;
    drawn += draws;
    spend(drawMs * draws);
    if (isFull) {
      const shape = (passes.at(-1) ?? []).map(({ sequences, width }) => `${sequences}x${width}`).join(' ');
      batches.set(shape, (batches.get(shape) ?? 0) + 1);
      stepTimes.push(clock() - before);
    }
    streams = streams.flatMap((stream) => {
      const part = parts.find(({ sequence }) => sequence === stream.sequence);
      if (part) advance(stream, part);
      if (part?.logitsAt.length && stream.at === stream.length) firstTokens.push(clock() - stream.since);
      if (stream.reply > 0) return stream;
      return stream.requests > 1 ? begin(load, stream.sequence, stream.requests - 1, clock()) : [];
    });
  }
  const tokensPerSecond = (1000 * drawn) / (clock() - start);
  const firstTokenMs = { p50: quantile(firstTokens, 0.5), p99: quantile(firstTokens, 0.99) };
  return { tokensPerSecond, stepMs: quantile(stepTimes, 0.5), firstTokenMs, batches };
}

/** Begins a request. Replies have unequal lengths, so that they end one after the other. */
function begin(
  { promptTokens, spread = 0, replyTokens }: SimulatedLoad,
  sequence: number,
  requests: number,
  now: number,
): Stream {
  const reply = replyTokens + ((sequence * 7 + requests * 13) % 32);
  const length = promptTokens + ((sequence * 5 + requests * 11) % Math.max(1, Math.ceil(spread * promptTokens)));
  return { sequence, prompt: length, reply, at: 0, length, since: now, requests };
}

function partsOf(streams: readonly Stream[], driver: StepDriver): Part[] {
  const grants = driver.plan(
    streams.map(({ prompt, since }) => ({ prompt, reply: prompt > 0 ? 0 : 1, since })),
    0,
  );
  return streams.flatMap(({ sequence, prompt, at }, index) => {
    const count = prompt > 0 ? (grants[index] ?? 0) : 1;
    if (count === 0) return [];
    const logitsAt = prompt === 0 || count === prompt ? [count - 1] : [];
    return { sequence, at, tokens: Array.from({ length: count }, () => 0), logitsAt };
  });
}

function advance(stream: Stream, { tokens, logitsAt }: Part): void {
  stream.at += tokens.length;
  if (stream.prompt > 0) stream.prompt -= tokens.length;
  if (logitsAt.length > 0) stream.reply -= 1;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
