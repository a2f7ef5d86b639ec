import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../serve/errors.ts';

/** The packages of native binaries, which a small installation names by itself. */
const BINARIES = /^@(?:node-llama-cpp|uwsjs|koromix)\//;

/**
 * Returns npm's arguments that install a tarball over the Paddock in `root`. A small installation, which names its own native packages,
 * stays small. Throws a `UsageError` if npm has not installed this Paddock.
 */
export function upgradeArguments(root: string, tarball: string): string[] {
  const modules = dirname(root);
  if (basename(modules) !== 'node_modules')
    throw new UsageError(
      `${root} is a clone, not an installation: git pull && npm ci brings it up to date; deploy/install.sh installs it`,
    );
  const above = dirname(modules);
  const quiet = ['--no-fund', '--no-audit'];
  // npm install -g puts packages into lib/node_modules, on Windows into node_modules, beside no package.json.
  if (!existsSync(join(above, 'package.json')))
    return ['install', '--global', '--prefix', basename(above) === 'lib' ? dirname(above) : above, ...quiet, tarball];
  const small = isSmall(above) ? ['--omit=optional', '--ignore-scripts'] : [];
  return ['install', '--prefix', above, ...quiet, ...small, tarball];
}

function isSmall(folder: string): boolean {
  const manifest: { dependencies?: Record<string, string> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  return Object.keys(manifest.dependencies ?? {}).some((name) => BINARIES.test(name));
}
