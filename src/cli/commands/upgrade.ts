import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { packageRoot } from '../../package-root.ts';
import { note, print } from '../../serve/output.ts';
import { version } from '../../serve/version.ts';
import { upgradeArguments } from '../upgrade/installation.ts';
import { versionIn } from '../upgrade/tarball.ts';

/**
 * `paddock upgrade`: runs npm with a tarball on this machine. npm may fetch the packages that the tarball depends on.
 * The command fails with a `UsageError` for a file that is no tarball of Paddock and for a clone, and with an `Error`
 * if npm fails.
 */
export function registerUpgrade(program: Command): void {
  program
    .command('upgrade')
    .description('install another version of Paddock over this one')
    .requiredOption('--from <file>', 'the tarball of that version, as npm pack writes it')
    .action(({ from }: { from: string }) => upgrade(resolve(from)));
}

function upgrade(tarball: string): void {
  const wanted = versionIn(tarball);
  const args = upgradeArguments(fileURLToPath(new URL('.', packageRoot())).replace(/[\\/]$/, ''), tarball);
  note(`npm ${args.join(' ')}`);
  // npm is a script of cmd.exe on Windows.
  const { status, error } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (error) throw new Error(`npm could not be started: ${error.message}`, { cause: error });
  if (status !== 0) throw new Error('npm could not install it; what npm said is above');
  print(`Paddock ${version} is now ${wanted}. A server that runs keeps its version until it is restarted.`);
}
