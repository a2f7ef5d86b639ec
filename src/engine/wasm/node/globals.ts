import { availableParallelism } from 'node:os';
import { WebWorker } from './web-worker.ts';

/**
 * Defines the few browser globals that wllama reads on this thread. Existing globals stay: the messaging of Node and
 * piscina uses other names.
 */
export function installWebGlobals(): void {
  define('self', globalThis);
  // Packages that look for a page take an origin of 'null' for none.
  define('location', new URL('file:///'));
  define('navigator', webNavigator());
  define('Worker', WebWorker);
}

/**
 * Makes a `navigator` with what wllama and emscripten read. Node 20 has none. It keeps the WebGPU of a program that
 * brings one along; Node has none of its own.
 */
export function webNavigator(): object {
  const { navigator } = globalThis as { navigator?: { gpu?: object } };
  const gpu = navigator?.gpu;
  return { userAgent: 'Node.js', language: 'en', hardwareConcurrency: availableParallelism(), ...(gpu && { gpu }) };
}

function define(name: string, value: unknown): void {
  if (name in globalThis) return;
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}
