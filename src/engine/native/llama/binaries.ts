import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

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
export function binariesPackage({ platform, arch }: Machine, gpu: 'cuda' | 'vulkan' | 'metal' | false): string | null {
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
}

/** Finds the prebuilt libraries that compute on the CPU. Throws a plain Error if there are none for this machine. */
export async function findCpuBinaries(): Promise<Binaries> {
  const name = binariesPackage(process, false);
  if (name === null) throw new Error(`there is no native binary of llama.cpp for ${process.platform}`);
  const { getBinsDir } = (await import(name).catch((cause: unknown) => {
    throw new Error('no native binary of llama.cpp is installed', { cause });
  })) as { getBinsDir(): { binsDir: string } };
  const { binsDir } = getBinsDir();
  const folder = join(binsDir, name.replace('@node-llama-cpp/', ''));
  return { folder, libraries: chooseLibraries(await readdir(folder)).map((file) => join(folder, file)) };
}
