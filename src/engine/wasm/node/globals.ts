import { availableParallelism } from 'node:os';
import { WebWorker } from './web-worker.ts';

/**
 * Gives this thread the few browser globals that wllama's own half reads. What is there already stays: Node's and
 * piscina's messaging goes through other names.
 */
export function installWebGlobals(): void {
  define('self', globalThis);
  define('location', { href: 'file:///' });
  define('navigator', webNavigator());
  define('Worker', WebWorker);
}

/** A `navigator` as far as wllama and emscripten read it; Node 20 has none. */
export function webNavigator(): object {
  return { userAgent: 'Node.js', language: 'en', hardwareConcurrency: availableParallelism() };
}

function define(name: string, value: unknown): void {
  if (name in globalThis) return;
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}
