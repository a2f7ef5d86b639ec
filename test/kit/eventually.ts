import { vi } from 'vitest';

/** Repeats a check until it holds, and returns what it does. It has longer than vitest's own second, which busy machines need. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, interval: 20 });
}
