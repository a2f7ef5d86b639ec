import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FindGpuLine, Gpu, GpuRuntime } from '../engine/gpu.ts';
import { packageRoot } from '../package-root.ts';
import { reasonIn } from './last-words.ts';

/** What a search found: the GPU to use, if any, and why runtimes were passed over before it. */
export interface GpuSearch {
  gpu: Gpu | null;
  passedOver: string[];
}

/** Looks for a GPU that computes. What it learned of runtimes is kept for the next search; the memory is measured each time. */
export type FindGpu = () => Promise<GpuSearch>;

/** One look at the GPU without some of the runtimes: what was found, and what is wrong with it. */
type Look = { gpu: Gpu | null; fault: string | null };

/** After these another one can be tried. */
const BEFORE_OTHERS: GpuRuntime[] = ['cuda'];

/** A driver that has to compile all kernels takes its time, once. */
const TIMEOUT_MS = 120_000;
const MOST_BYTES = 2 ** 24;

const PROCESS_FILE = new URL('../../workers/find-gpu.js', import.meta.url);
/** It comes with Paddock, and each GPU can hold it. */
const SMALL_MODEL = new URL('models/pico/pico.gguf', packageRoot());

/**
 * Makes a search. It runs in processes of its own, since a wrong driver or binary crashes them; after a crash it tries the next runtime,
 * as Vulkan after CUDA.
 *
 * @param file the program of such a process
 */
export function createFindGpu(file: URL | string = PROCESS_FILE): FindGpu {
  const without: GpuRuntime[] = [];
  const passedOver: string[] = [];
  let none = false;
  let proven: GpuRuntime | undefined;

  return async () => {
    while (!none) {
      const { gpu, fault } = await look(file, without, proven !== undefined);
      if (gpu !== null && fault === null) {
        proven = gpu.runtime;
        return { gpu, passedOver: [...passedOver] };
      }
      passedOver.push(gpu === null ? `${fault}` : `${gpu.runtime}: ${fault}`);
      none = gpu === null || !BEFORE_OTHERS.includes(gpu.runtime);
      proven = undefined;
      if (gpu !== null) without.push(gpu.runtime);
    }
    return { gpu: null, passedOver: [...passedOver] };
  };
}

function look(file: URL | string, without: GpuRuntime[], proven: boolean): Promise<Look> {
  const modelPath = !proven && existsSync(SMALL_MODEL) ? fileURLToPath(SMALL_MODEL) : null;
  const path = typeof file === 'string' ? file : fileURLToPath(file);
  const args = [path, JSON.stringify({ without, modelPath })];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: TIMEOUT_MS, maxBuffer: MOST_BYTES }, (error, stdout, stderr) => {
      const said = linesOf(stdout);
      const gpu = said.find((line) => 'gpu' in line)?.gpu ?? null;
      const failed = said.find((line) => 'failed' in line)?.failed;
      const computes = said.some((line) => 'computes' in line);
      resolve({ gpu, fault: computes ? null : (failed ?? describeEnd(error, stderr)) });
    });
  });
}

function linesOf(stdout: string): FindGpuLine[] {
  return stdout.split('\n').flatMap((line) => {
    if (!/^\{"(?:gpu|computes|failed)":/.test(line)) return [];
    return [JSON.parse(line) as FindGpuLine];
  });
}

function describeEnd(error: (Error & { signal?: string | null; killed?: boolean }) | null, stderr: string): string {
  if (error?.killed) return `it did not compute within ${TIMEOUT_MS / 1000} s`;
  const reason = reasonIn(stderr);
  if (error?.signal) return `it crashed with ${error.signal}${reason === '' ? '' : `: ${reason.split('\n').at(-1)}`}`;
  return reason.split('\n').at(-1) || 'it ended without a word';
}
