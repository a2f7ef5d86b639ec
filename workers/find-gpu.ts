import { writeSync } from 'node:fs';
import type { FindGpuLine, GpuRuntime } from '../src/engine/gpu.ts';
import { probeGpu } from '../src/engine/native/llama/probe.ts';

// The process that looks for a GPU: `node find-gpu.js '{"without":["cuda"],"modelPath":null}'`. It dies where the driver or the binary
// is wrong, with the reason among what it wrote.

// At once, whatever the system: a pipe of process.stdout may be written later, and this process crashes or exits.
const say = (line: FindGpuLine) => writeSync(1, `${JSON.stringify(line)}\n`);

const { without, modelPath } = JSON.parse(process.argv[2] ?? '') as {
  without: GpuRuntime[];
  modelPath: string | null;
};
await probeGpu(without, modelPath, (gpu) => say({ gpu })).then(
  () => say({ computes: true }),
  (error: unknown) => say({ failed: error instanceof Error ? error.message : String(error) }),
);
process.exit(0);
