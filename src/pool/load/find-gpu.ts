import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FindGpuLine, Gpu, GpuRuntime } from '../../engine/gpu.ts';
import { packageRoot, programFile } from '../../package-root.ts';
import { createTurns } from '../../utils/turns.ts';
import { describeEnd } from '../process/last-words.ts';
import { whyNoGpu } from './gpu-devices.ts';

/** The result of a search: the GPU to use, if any, and why other GPU runtimes can't be used. */
export interface GpuSearch {
  gpu: Gpu | null;
  passedOver: string[];
}

/** Searches for a GPU that computes. Broken runtimes are remembered for the next search; free memory is measured each time. */
export type FindGpu = () => Promise<GpuSearch>;

/** The result of one process: the GPU that it found, what is wrong with it, and whether this is permanent. */
type Look = { gpu: Gpu | null; fault: string | null; lasts: boolean };

/** True if there is no other runtime to try after this one. After CUDA, Vulkan is tried. */
const isLast = (runtime: GpuRuntime) => runtime !== 'cuda';

const describe = (faults: Map<GpuRuntime, string>) => [...faults].map(([runtime, fault]) => `${runtime}: ${fault}`);

/** The longest time of one process, in ms. A driver that compiles all kernels at its first use needs most of it. */
const TIMEOUT_MS = 120_000;
const MOST_BYTES = 2 ** 24;

const OUR_LINE = /^\{"(?:gpu|computes|failed)":/;
/** llama.cpp's binary needs a newer CUDA driver: it has machine code for other cards only, and the driver can't compile for this card. */
const OLD_DRIVER = /unsupported toolchain|driver version is insufficient/i;

const PROCESS_FILE = programFile('find-gpu');
/** The built-in model, which is small enough for every GPU. */
const SMALL_MODEL = new URL('models/pico/pico.gguf', packageRoot());

/**
 * Makes a search. It runs in child processes, since a wrong driver or binary crashes the process. After a crash it tries the next runtime,
 * Vulkan after CUDA.
 *
 * @param file the program of the child process
 * @param hopeless returns why there can be no GPU, so that no process is started; null if there may be one
 */
export function createFindGpu(file: URL | string = PROCESS_FILE, hopeless: () => string | null = whyNoGpu): FindGpu {
  /** The runtimes that do not work until the server is restarted, and why. */
  const broken = new Map<GpuRuntime, string>();
  let none: string | null = null;
  let proven = false;
  // Two loads at once must not start two searches.
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
        // A runtime that failed for this search only, for example with full memory, may find a GPU the next time.
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
      // Before a logger is set, node-llama-cpp writes llama.cpp's errors to stdout and its other messages to stderr.
      const fault = computes ? null : (failed ?? howItEnded(error, `${stdout}\n${stderr}`));
      // A reported failure on a device is a lack of memory, which may pass. A crash would come again.
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
