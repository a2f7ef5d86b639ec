import { spawnSync } from 'node:child_process';
import { readBuildInputs, removeBuildStamp, removeLeftOutputs, writeBuildStamp } from './build-stamp.js';

// npm run build: makes dist and dist-web. It is JavaScript because it runs before anything is compiled.

// The inputs are read before the compiler reads them. A file that is edited while it works counts as changed.
const inputs = readBuildInputs('.');
removeBuildStamp('.');
removeLeftOutputs('.');
run('node_modules/typescript/bin/tsc', '--build');
run('dist/web/build/main.js');
writeBuildStamp('.', inputs);

/**
 * Runs a script to its end. Ends this one with its exit code if it fails.
 * @param {string[]} script its file and its arguments
 */
function run(...script) {
  const { status } = spawnSync(process.execPath, script, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
