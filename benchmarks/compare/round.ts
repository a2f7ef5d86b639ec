import { percentile } from '../statistics.ts';
import type { Endpoint } from './endpoint.ts';
import { usageOfTree } from './process-tree.ts';
import { playHistory, type Reply, sendLastTurn } from './request.ts';
import type { RoundFigures } from './results.ts';
import type { Ask } from './workloads.ts';

const MEMORY_SAMPLE_MS = 250;

/**
 * Sends the requests of one round, each at its time, and measures until the last reply is complete. Throws if a request
 * fails.
 */
export async function measureRound({ target, pid }: Endpoint, asks: Ask[]): Promise<RoundFigures> {
  const histories = await settleAll(asks.map((ask) => playHistory(target, ask)));
  const before = pid === null ? null : usageOfTree(pid);
  let peakBytes = before?.residentBytes ?? 0;
  const sampler = setInterval(() => {
    if (pid !== null) peakBytes = Math.max(peakBytes, usageOfTree(pid)?.residentBytes ?? 0);
  }, MEMORY_SAMPLE_MS);
  try {
    const startedAt = performance.now();
    const replies = await settleAll(
      asks.map(async (ask, stream) => {
        await new Promise((resolve) => setTimeout(resolve, ask.afterMs));
        return sendLastTurn(target, ask, histories[stream] ?? []);
      }),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const after = pid === null ? null : usageOfTree(pid);
    peakBytes = Math.max(peakBytes, after?.residentBytes ?? 0);
    return {
      ...toFigures(replies, seconds),
      cpuSecondsPer1000: before && after ? per1000(after.cpuSeconds - before.cpuSeconds, replies) : null,
      peakMiB: after ? peakBytes / 2 ** 20 : null,
    };
  } finally {
    clearInterval(sampler);
  }
}

/** Like `Promise.all`, but waits for all promises before it throws, so that no request runs into the next round. */
async function settleAll<T>(work: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Returns the figures of a round that follow from its replies. */
export function toFigures(replies: Reply[], seconds: number): Omit<RoundFigures, 'cpuSecondsPer1000' | 'peakMiB'> {
  const firsts = replies.map(({ firstMs }) => firstMs);
  const gaps = replies.flatMap(({ gapsMs }) => gapsMs);
  const tokens = countTokens(replies);
  return {
    tokens,
    chunks: replies.reduce((sum, { gapsMs }) => sum + gapsMs.length + 1, 0),
    promptTokens: replies[0]?.promptTokens ?? null,
    tokensPerSecond: tokens / seconds,
    firstTokenP50: percentile(firsts, 0.5),
    firstTokenP99: percentile(firsts, 0.99),
    gapP50: percentile(gaps, 0.5),
    gapP99: percentile(gaps, 0.99),
  };
}

function per1000(cpuSeconds: number, replies: Reply[]): number {
  return (cpuSeconds * 1000) / Math.max(1, countTokens(replies));
}

function countTokens(replies: Reply[]): number {
  return replies.reduce((sum, { tokens }) => sum + tokens, 0);
}
