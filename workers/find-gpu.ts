import { writeSync } from 'node:fs';
import type { FindGpuLine, GpuRuntime } from '../src/engine/gpu.ts';
import { probeGpu } from '../src/engine/native/llama/library/probe.ts';

// The process that looks for a GPU: `node find-gpu.js '{"without":["cuda"],"modelPath":null}'`. A wrong driver or
// binary may crash it; its output then has the reason.

// Written synchronously: on some systems process.stdout writes to a pipe later, and this process may have crashed by
// then.
const say = (line: FindGpuLine) => writeSync(1, `${JSON.stringify(line)}\n`);

const { without, modelPath } = JSON.parse(process.argv[2] ?? '') as {
  without: GpuRuntime[];
  modelPath: string | null;
};
void probeGpu(without, modelPath, (gpu) => say({ gpu }))
  .then(
    () => say({ computes: true }),
    (error: unknown) => say({ failed: error instanceof Error ? error.message : String(error) }),
  )
  .then(() => process.exit(0));
