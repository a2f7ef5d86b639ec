import type { Log } from '../../../../contract/log.ts';
import type { GpuRuntime } from '../../../gpu.ts';
import { createPlaces, type Places } from '../places.ts';
import { checkAbi } from './abi.ts';
import { findBinaries } from './binaries.ts';
import {
  type Bindings,
  bind,
  bindHidden,
  bindThreadPools,
  type HiddenBindings,
  registerLog,
  type ThreadPools,
} from './bindings.ts';
import { type Kernels, openKernels } from './kernels.ts';
import type { Pointer } from './pointer.ts';
import { DEVICE_TYPE } from './structs.ts';

/** llama.cpp's shared libraries, opened once in a process. */
export interface Library {
  llama: Bindings;
  /** The functions for MTP layers; null if the libraries lack one. */
  hidden: HiddenBindings | null;
  /** The paths of the libraries. */
  paths: string[];
  /** The function that takes llama.cpp's log. */
  logTo: Pointer;
  /** The runtime for GPUs whose libraries are open; false for the libraries that compute on the CPU alone. */
  gpu: GpuRuntime | false;
  threadPools: ThreadPools;
  kernels: Kernels;
  /** The instruction sets that llama.cpp's library for the CPU uses here, as in `AVX2` and `AVX512_VNNI`. */
  instructionSets: string[];
  /** The latest error in llama.cpp's log since this was called last; '' without one. */
  takeError(): string;
  /** Where llama.cpp has put models and contexts since this was called last. */
  takePlaces(): Places;
}

/** A device that llama.cpp computes on, besides the CPU. */
export interface LlamaDevice {
  name: string;
  /** In bytes. */
  memory: { free: number; total: number };
  /** True if the device uses the machine's own memory. */
  sharesMemory: boolean;
}

const LEVEL = { warn: 3, error: 4, continued: 5 } as const;

let opened: { gpu: GpuRuntime | false; library: Promise<Library> } | undefined;
/** Where llama.cpp's log goes: to whoever opened the library last. */
let sink: Log | undefined;

/**
 * Opens llama.cpp's libraries for a GPU runtime or for the CPU, and loads the backends that fit this machine. A process
 * can open one set of them.
 *
 * @param stockKernels true to compute with llama.cpp's own kernels, without Paddock's
 * @throws an Error with the reason if there are no libraries, if a function is missing or if a struct has another layout
 */
export async function openLibrary(gpu: GpuRuntime | false, log: Log, stockKernels = false): Promise<Library> {
  sink = log;
  if (opened) {
    if (opened.gpu !== gpu)
      throw new Error(`this process has opened llama.cpp's libraries for ${opened.gpu || 'the CPU'} already`);
    const library = await opened.library;
    // Another user of llama.cpp in this process, such as node-llama-cpp, may have taken its log.
    library.llama.llama_log_set(library.logTo, null);
    return library;
  }
  const library = openAnew(gpu, stockKernels);
  opened = { gpu, library };
  // The next call tries again.
  library.catch(() => {
    opened = undefined;
  });
  return library;
}

async function openAnew(gpu: GpuRuntime | false, stockKernels: boolean): Promise<Library> {
  const { folder, libraries, fallback } = await findBinaries(gpu);
  const kernels = openKernels(stockKernels);
  const llama = bind(libraries);
  checkAbi(llama);
  const lines = createLogReader();
  const logTo = registerLog(lines.take);
  llama.llama_log_set(logTo, null);
  llama.ggml_backend_load_all_from_path(folder);
  llama.llama_backend_init();
  if (fallback !== null && listDevices({ llama }).length === 0) llama.ggml_backend_load_all_from_path(fallback);
  const instructionSets = readInstructionSets(llama.llama_print_system_info());
  return {
    llama,
    hidden: bindHidden(libraries),
    paths: libraries,
    logTo,
    gpu,
    threadPools: findThreadPools(llama),
    kernels,
    instructionSets,
    takeError: lines.takeError,
    takePlaces: lines.takePlaces,
  };
}

/** Lists the GPUs and accelerators with memory that llama.cpp found. Reads their free memory anew. */
export function listDevices({ llama }: Pick<Library, 'llama'>): LlamaDevice[] {
  const devices = Array.from({ length: llama.ggml_backend_dev_count() }, (_, index) =>
    llama.ggml_backend_dev_get(index),
  );
  return devices.flatMap((device) => {
    const type = llama.ggml_backend_dev_type(device);
    if (type !== DEVICE_TYPE.gpu && type !== DEVICE_TYPE.integratedGpu) return [];
    const free = new BigUint64Array(8);
    const total = new BigUint64Array(8);
    llama.ggml_backend_dev_memory(device, free, total);
    return {
      name: llama.ggml_backend_dev_description(device),
      memory: { free: Number(free[0]), total: Number(total[0]) },
      sharesMemory: type === DEVICE_TYPE.integratedGpu || (process.platform === 'darwin' && process.arch === 'arm64'),
    };
  });
}

function findThreadPools(llama: Bindings): ThreadPools {
  const cpu = llama.ggml_backend_reg_by_name('CPU');
  const addressOf = (name: string) => {
    const address = cpu && llama.ggml_backend_reg_get_proc_address(cpu, name);
    if (!address) throw new Error(`llama.cpp's library for the CPU has no function ${name}`);
    return address;
  };
  return bindThreadPools(addressOf('ggml_threadpool_new'), addressOf('ggml_threadpool_free'));
}

/** Passes warnings and errors on, line by line, and remembers the latest error. */
function createLogReader() {
  let level = 0;
  let error = '';
  const places = createPlaces();
  return {
    takePlaces: places.take,
    take(given: number, text: string) {
      if (given !== LEVEL.continued) level = given;
      const line = text.trim();
      places.read(line);
      if (level < LEVEL.warn || level > LEVEL.error || line === '') return;
      if (level === LEVEL.error) error = line;
      sink?.debug(line, { source: 'llama.cpp', level: level === LEVEL.error ? 'error' : 'warn' });
    },
    takeError() {
      const latest = error;
      error = '';
      return latest;
    },
  };
}

/** Returns the names with the value 1 of a text such as `CPU : SSE3 = 1 | AVX2 = 1 | FMA = 0 | `. */
export function readInstructionSets(systemInfo: string): string[] {
  return [...systemInfo.matchAll(/(\w+) = 1\b/g)].map(([, name = '']) => name);
}
