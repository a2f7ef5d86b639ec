/**
 * Probes one backend and prints the result as a line of JSON: `node probe.js cpu|wasm`. It has a process of its own,
 * because an incompatible binary crashes it.
 */

import { messageOf } from '../../utils/error-message.ts';
import type { ProbeResult } from './backends.ts';

async function probe(backend: string): Promise<string> {
  if (backend === 'wasm') {
    const { compileRuntime } = await import('../../engine/wasm/node/runtime.ts');
    return (await compileRuntime()).name;
  }
  const { describeBuild } = await import('../../engine/native/llama/library/describe-build.ts');
  const { version, instructionSets, kernels } = await describeBuild();
  return `cpu; llama.cpp ${version} with ${instructionSets.join(', ')}; kernels ${kernels}`;
}

void probe(process.argv[2] ?? '')
  .then(
    (detail): ProbeResult => ({ ok: true, detail }),
    (error: unknown): ProbeResult => ({ ok: false, detail: messageOf(error) }),
  )
  .then((result) => process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0)));
