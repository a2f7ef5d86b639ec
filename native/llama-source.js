import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The sources of llama.cpp that the installed node-llama-cpp brings, for the scripts that compile parts of them.

/** The folder of node-llama-cpp with its bundle of llama.cpp, and with the libraries that were built here. */
export const PACKAGE = fileURLToPath(new URL('../llama', import.meta.resolve('node-llama-cpp')));

/**
 * Writes sources of llama.cpp into a folder, which must exist. Throws if the bundle is missing or git fails.
 * @param {string} folder
 * @param {string[]} places folders and files of llama.cpp; '.' for all
 */
export function checkOut(folder, places) {
  const bundle = join(PACKAGE, 'gitRelease.bundle');
  if (!existsSync(bundle)) throw new Error(`${bundle} is missing: run npm ci`);
  const repository = join(folder, 'llama.git');
  run('git', ['clone', '--quiet', '--bare', bundle, repository]);
  run('git', ['--git-dir', repository, '--work-tree', folder, 'checkout', 'HEAD', '--', ...places]);
}

/**
 * Runs a program. Throws if it fails.
 * @param {string} program
 * @param {string[]} args
 */
export function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} failed (${status})`);
}
