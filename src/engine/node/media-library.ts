import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../package-root.ts';
import { llamaPackageFile } from './llama-package.ts';

/** The path of libmtmd, with which the native engine reads images and recordings; or the reason why it has none. */
export type MediaLibrary = { path: string } | { path: null; reason: string };

/**
 * Finds libmtmd, which `npm run build:media` compiles for the installed version of llama.cpp. Functions of llama.cpp
 * change between versions, so a library for another version is not taken.
 */
export function findMediaLibrary(
  root: URL = packageRoot(),
  machine = `${process.platform}-${process.arch}`,
): MediaLibrary {
  if (!machine.startsWith('linux-')) return { path: null, reason: `libmtmd can not be built for ${machine} yet` };
  const path = fileURLToPath(new URL(`native/built/${machine}/libmtmd.${installedRelease()}.so`, root));
  return existsSync(path) ? { path } : { path: null, reason: 'libmtmd is not built: npm run build:media' };
}

/** Returns the version of llama.cpp that node-llama-cpp brings, as in `v0.5.0`. */
function installedRelease(): string {
  const file = llamaPackageFile('llama/binariesGithubRelease.json');
  const { release } = JSON.parse(readFileSync(file, 'utf8')) as { release: string };
  return release;
}
