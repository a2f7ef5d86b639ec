import { vi } from 'vitest';

/**
 * Repeats a check until it no longer throws, and returns its result. The timeout is longer than vitest's one second,
 * which is too short on a busy machine.
 */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, interval: 20 });
}
