import { spawnSync } from 'node:child_process';
import {
  findStaleBuild,
  readBuildInputs,
  removeBuildStamp,
  removeLeftOutputs,
  writeBuildStamp,
} from './build-stamp.js';

// npm run build: makes dist and dist-web. It is JavaScript because it runs before anything is compiled.
// With --if-stale, as in npm test, a site that was made from the present sources is kept: npm ci has built it just before.

const keepsSite = process.argv.includes('--if-stale') && findStaleBuild('.') === null;
// The inputs are read before the compiler reads them. A file that is edited while it works counts as changed.
const inputs = readBuildInputs('.');
if (!keepsSite) removeBuildStamp('.');
removeLeftOutputs('.');
// The compiler looks for changes by itself, also in the folders of test/ that the build does not list.
run('node_modules/typescript/bin/tsc', '--build');
if (!keepsSite) {
  run('dist/web/build/programs.js');
  run('dist/web/build/main.js');
  writeBuildStamp('.', inputs);
}

/**
 * Runs a script to its end. Ends this one with its exit code if it fails.
 * @param {string[]} script its file and its arguments
 */
function run(...script) {
  const { status } = spawnSync(process.execPath, script, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
