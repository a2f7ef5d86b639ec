import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FindGpuLine, Gpu, GpuRuntime } from '../../engine/gpu.ts';
import { packageRoot } from '../../package-root.ts';
import { createTurns } from '../../utils/turns.ts';
import { describeEnd } from '../process/last-words.ts';
import { whyNoGpu } from './gpu-devices.ts';

/** What a search found: the GPU to use, if any, and why runtimes were passed over before it. */
export interface GpuSearch {
  gpu: Gpu | null;
  passedOver: string[];
}

/** Looks for a GPU that computes. What it learned of runtimes is kept for the next search; the memory is measured each time. */
export type FindGpu = () => Promise<GpuSearch>;

/** One look at the GPU without some of the runtimes: what was found, what is wrong with it, and whether that lasts. */
type Look = { gpu: Gpu | null; fault: string | null; lasts: boolean };

/** After CUDA, Vulkan can be tried. */
const isLast = (runtime: GpuRuntime) => runtime !== 'cuda';

const describe = (faults: Map<GpuRuntime, string>) => [...faults].map(([runtime, fault]) => `${runtime}: ${fault}`);

/** A driver that has to compile all kernels takes its time, once. */
const TIMEOUT_MS = 120_000;
const MOST_BYTES = 2 ** 24;

const OUR_LINE = /^\{"(?:gpu|computes|failed)":/;
/** The binary was built with a newer CUDA than the driver knows, and has machine code for other cards alone. */
const OLD_DRIVER = /unsupported toolchain|driver version is insufficient/i;

const PROCESS_FILE = new URL('../../../workers/find-gpu.js', import.meta.url);
/** It comes with Paddock, and each GPU can hold it. */
const SMALL_MODEL = new URL('models/pico/pico.gguf', packageRoot());

/**
 * Makes a search. It runs in processes of its own, since a wrong driver or binary crashes them; after a crash it tries the next runtime,
 * as Vulkan after CUDA.
 *
 * @param file the program of such a process
 * @param hopeless says why no process needs to be started; null if one may find a GPU
 */
export function createFindGpu(file: URL | string = PROCESS_FILE, hopeless: () => string | null = whyNoGpu): FindGpu {
  /** The runtimes that will not work in this run of the server, and why. */
  const broken = new Map<GpuRuntime, string>();
  let none: string | null = null;
  let proven = false;
  // Two loads may come together.
  const alone = createTurns();

  const search = async (): Promise<GpuSearch> => {
    const faults = new Map(broken);
    const nothing = (...more: string[]) => ({ gpu: null, passedOver: [...describe(faults), ...more] });
    none ??= hopeless();
    if (none !== null) return nothing(none);
    while (![...faults.keys()].some(isLast)) {
      const { gpu, fault, lasts } = await look(file, [...faults.keys()], proven);
      proven = fault === null;
      if (fault === null) return { gpu, passedOver: describe(faults) };
      if (gpu === null) {
        // One whose memory was full may be there the next time.
        if (faults.size === broken.size) none = fault;
        return nothing(fault);
      }
      faults.set(gpu.runtime, fault);
      if (lasts) broken.set(gpu.runtime, fault);
    }
    return nothing();
  };

  return () => alone(search);
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
      // Where no logger is set, node-llama-cpp writes llama.cpp's errors to stdout and its other words to stderr.
      const fault = computes ? null : (failed ?? howItEnded(error, `${stdout}\n${stderr}`));
      // A device that says by itself what is wrong lacks memory just now. A crash would come again.
      resolve({ gpu, fault, lasts: failed === undefined || gpu?.names.length === 0 });
    });
  });
}

function linesOf(stdout: string): FindGpuLine[] {
  return stdout.split('\n').flatMap((line) => (OUR_LINE.test(line) ? [JSON.parse(line) as FindGpuLine] : []));
}

function howItEnded(error: ExecFileException | null, said: string): string {
  if (error?.killed) return `it did not compute within ${TIMEOUT_MS / 1000} s`;
  const others = said.split('\n').filter((line) => !OUR_LINE.test(line));
  const end = describeEnd(error, others.join('\n'));
  return OLD_DRIVER.test(end) ? `${end} NVIDIA's driver is too old for it: a newer one helps.` : end;
}
