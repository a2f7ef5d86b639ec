import { cancelWith } from '../stream/cancel.ts';

/**
 * Runs the work with a signal that aborts after `ms`, and when `signal` does. Resolves to null if the time was up first.
 * Rejects with the reason of `signal` when it aborts, and as the work does.
 */
export async function withinTime<T>(
  ms: number,
  signal: AbortSignal,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const limited = cancelWith(signal);
  const timer = setTimeout(() => limited.abort(), Math.max(0, ms));
  try {
    return await work(limited.signal);
  } catch (error) {
    if (limited.signal.aborted && !signal.aborted) return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
