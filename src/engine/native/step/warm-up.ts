import { NO_ADAPTERS } from '../llama/adapters.ts';
import type { Decoder, Part } from '../llama/decoder.ts';
import { TILE } from '../llama/micro-batches.ts';
import type { Driver } from './driver.ts';

/** No further shape is warmed after this time, in ms. */
const MOST_MS = 3000;
/** A pass of a whole batch is only warmed if it takes no longer than this by the time of a tile, in ms. */
const BATCH_MS = 500;
/** CUDA captures a graph at the second pass of a shape, and the third is as quick as all later ones. */
const UNMEASURED = 2;
/** CUDA has a kernel of its own for each of these numbers of tokens. */
const OWN_KERNELS = 8;
/** Any token will do. */
const TOKEN = 1;

/** A shape to warm: equally many tokens for the first sequences. */
interface Shape {
  sequences: number;
  width: number;
}

/**
 * Runs the usual shapes of a forward pass a few times on a GPU, which loads its kernels at their first use: the first
 * request would wait for that. Then measures them with the driver, which would otherwise have to rely on the times of
 * the first real passes. Ends within about 3 s. The sequences are empty before and after. Throws if a pass fails.
 *
 * @param now returns the present, in ms
 */
export async function warmUp(decoder: Decoder, driver: Driver, now = () => performance.now()): Promise<void> {
  const end = now() + MOST_MS;
  for (const shape of shapesOf(decoder)) {
    if (now() >= end) return;
    if (shape.width === decoder.batchSize && batchMs(driver, shape.width) > BATCH_MS) continue;
    for (let pass = 0; pass <= UNMEASURED; pass++) {
      const parts = partsOf(shape, decoder);
      if (pass < UNMEASURED) await decoder.decode(parts, driver.replyThreads);
      else await measure(shape, parts, driver, now());
      for (const { sequence } of parts) await decoder.truncate(sequence, 0);
    }
  }
}

async function measure({ sequences, width }: Shape, parts: Part[], driver: Driver, now: number): Promise<void> {
  const isPrompt = width >= TILE;
  const demand = { prompt: isPrompt ? width : 0, reply: isPrompt ? 0 : width, since: now };
  driver.plan(
    Array.from({ length: sequences }, () => demand),
    0,
  );
  await driver.decode(parts, new AbortController().signal, NO_ADAPTERS);
}

/** Returns the expected time of a prompt of this many tokens, in ms; infinite before one was measured. */
function batchMs({ promptTokenMs }: Driver, tokens: number): number {
  return promptTokenMs === null ? Number.POSITIVE_INFINITY : tokens * promptTokenMs;
}

/** Lists the shapes to warm, the most frequent first: replies, prompts, and the guesses of one reply. */
function shapesOf({ sequences, batchSize, outputs }: Decoder): Shape[] {
  const counts = (most: number) =>
    [...Array.from({ length: OWN_KERNELS }, (_, index) => index + 1), 16, 32, 64, 128].filter((count) => count <= most);
  const rows = [...new Set([...counts(sequences), sequences])];
  const prompts = [TILE, batchSize].filter((width) => width <= batchSize);
  const lines = counts(Math.min(outputs, batchSize)).filter((count) => count > 1);
  return [
    ...rows.map((count) => ({ sequences: count, width: 1 })),
    ...[...new Set(prompts)].map((width) => ({ sequences: 1, width })),
    ...lines.map((width) => ({ sequences: 1, width })),
  ];
}

function partsOf({ sequences, width }: Shape, { room }: Decoder): Part[] {
  const tokens = Array.from({ length: Math.min(width, room) }, () => TOKEN);
  return Array.from({ length: sequences }, (_, sequence) => ({
    sequence,
    at: 0,
    tokens,
    logitsAt: [tokens.length - 1],
  }));
}
