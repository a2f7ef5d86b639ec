import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GpuRuntime } from '../../../gpu.ts';
import { llamaPackageFile } from '../../../node/llama-package.ts';
import { readOrEmpty } from '../../../node/read-or-empty.ts';

/** The parts of a machine that choose the package with its binaries. */
export interface Machine {
  platform: NodeJS.Platform;
  arch: string;
}

/**
 * Returns the npm package of node-llama-cpp with llama.cpp's libraries for a machine; null if there is none.
 *
 * @param gpu false for the libraries that compute on the CPU alone
 */
export function binariesPackage({ platform, arch }: Machine, gpu: GpuRuntime | false): string | null {
  const names: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'mac', win32: 'win' };
  const cpus: Record<string, string> = platform === 'linux' ? { arm: 'armv7l' } : {};
  const system = names[platform];
  if (system === undefined) return null;
  // Macs with Apple's processors have one package for both.
  const isAppleSilicon = platform === 'darwin' && arch === 'arm64';
  const suffix = isAppleSilicon ? '-metal' : gpu ? `-${gpu}` : '';
  return `@node-llama-cpp/${system}-${cpus[arch] ?? arch}${suffix}`;
}

/**
 * Returns llama.cpp's shared libraries among the files of a folder, in the order of their dependencies: ggml-base, ggml, llama. Their
 * names end in `.so`, `.dylib` or `.dll`, and may have a version: `libllama.v0.5.0.so`, `libllama.cuda.v0.5.0.so`.
 *
 * @throws an Error that names the library that is missing
 */
export function chooseLibraries(files: string[]): string[] {
  return ['ggml-base', 'ggml', 'llama'].map((name) => {
    const pattern = new RegExp(
      `^(?:lib)?${name}(?:\\.(?:cuda|vulkan|metal))?(?:\\.v?\\d+(?:\\.\\d+)*)?\\.(?:so|dylib|dll)$`,
    );
    const found = files.find((file) => pattern.test(file));
    if (found === undefined) throw new Error(`there is no library ${name} among llama.cpp's binaries`);
    return found;
  });
}

/** The folder with llama.cpp's libraries for this machine, and the paths of those that are opened. */
export interface Binaries {
  folder: string;
  libraries: string[];
  /** The folder with a backend for older GPUs, to be loaded if the first one finds no device; null if there is none. */
  fallback: string | null;
}

/**
 * Finds llama.cpp's libraries for a GPU runtime, or for the CPU alone: the libraries that node-llama-cpp has built from
 * source on this machine, if there are any, else the prebuilt libraries. Throws a plain Error with the reason if there
 * are none.
 */
export async function findBinaries(gpu: GpuRuntime | false): Promise<Binaries> {
  const name = binariesPackage(process, gpu);
  if (name === null) throw new Error(`there is no native binary of llama.cpp for ${process.platform}`);
  const built = await openFolder(builtFolder(name));
  if (built) return built;
  if (lacksGlibc()) throw new Error('the prebuilt llama.cpp needs glibc, and this system has another C library');
  const folder = await folderOf(name, name);
  const found = folder && (await openFolder(folder));
  if (!found) throw new Error('no native binary of llama.cpp is installed');
  const extension = gpu === 'cuda' ? await folderOf(`${name}-ext`, name) : null;
  return { ...found, fallback: extension && join(extension, 'fallback') };
}

/** Returns the folder of a package with the binaries for `machine`; null if the package is not installed. */
async function folderOf(name: string, machine: string): Promise<string | null> {
  const found = (await import(name).catch(() => null)) as { getBinsDir(): { binsDir: string } } | null;
  return found && join(found.getBinsDir().binsDir, basename(machine));
}

/** Returns the folder into which node-llama-cpp builds llama.cpp from source, for the machine and GPU of a package. */
function builtFolder(name: string): string {
  return join(fileURLToPath(llamaPackageFile('llama/localBuilds/')), basename(name), 'Release');
}

async function openFolder(folder: string): Promise<Binaries | null> {
  const files = await readdir(folder).catch(() => null);
  return files && { folder, libraries: chooseLibraries(files).map((file) => join(folder, file)), fallback: null };
}

/** True on a Linux whose C library is musl, such as Alpine. Node's report names the C library too, but takes 30 ms. */
function lacksGlibc(): boolean {
  return process.platform === 'linux' && readOrEmpty('/proc/self/maps').includes('/ld-musl-');
}
