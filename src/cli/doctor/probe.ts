/**
 * Probes one backend and prints the result as a line of JSON: `node probe.js gpu|cpu|wasm`. It runs as a process of its
 * own, since a wrong driver or binary may crash it.
 */

import { formatBytes } from '../../core/bytes.ts';
import { messageOf } from '../errors.ts';
import type { ProbeResult } from './backends.ts';

async function probe(backend: string): Promise<string> {
  if (backend === 'wasm') {
    const { compileRuntime } = await import('../../engine/wasm/node/runtime.ts');
    return (await compileRuntime()).name;
  }
  const { probeNative } = await import('../../engine/native/probe.ts');
  const { kind, names, memory } = await probeNative(backend === 'gpu' ? 'gpu' : 'cpu');
  const free = memory ? `, ${formatBytes(memory.free)} free of ${formatBytes(memory.total)}` : '';
  return `${[kind, names.join(', ')].filter((part) => part !== '').join(': ')}${free}`;
}

const result: ProbeResult = await probe(process.argv[2] ?? '').then(
  (detail) => ({ ok: true, detail }),
  (error: unknown) => ({ ok: false, detail: messageOf(error) }),
);
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
