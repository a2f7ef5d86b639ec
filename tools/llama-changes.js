import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Prints what changed in llama.cpp's headers between an older git bundle of node-llama-cpp and the installed one:
// `node tools/llama-changes.js OLD.bundle`. A star marks what Paddock uses.

const HEADERS = [
  ...['include/llama.h', 'ggml/include/ggml.h', 'ggml/include/ggml-backend.h', 'ggml/include/ggml-cpu.h'],
  ...['tools/mtmd/mtmd.h', 'tools/mtmd/mtmd-helper.h'],
];
const INSTALLED = 'node_modules/node-llama-cpp/llama/gitRelease.bundle';
const BORDER = [
  ...['library/functions.ts', 'library/structs.ts', 'library/abi.ts'],
  ...['media/functions.ts', 'media/structs.ts'],
].map((file) => `src/engine/native/llama/${file}`);

const [older] = process.argv.slice(2);
if (older === undefined) throw new Error('usage: node tools/llama-changes.js OLD.bundle');

const used = BORDER.map((file) => readFileSync(file, 'utf8')).join('\n');
const before = readDeclarations(older);
const after = readDeclarations(INSTALLED);
for (const [name, text] of after) {
  if (!before.has(name)) print('added', name);
  else if (before.get(name) !== text) print('changed', name);
}
for (const name of before.keys()) if (!after.has(name)) print('removed', name);

/** @param {string} what @param {string} name */
function print(what, name) {
  const mark = new RegExp(`\\b${name}\\b`).test(used) ? '*' : ' ';
  process.stdout.write(`${mark} ${what.padEnd(8)} ${name}\n`);
}

/**
 * Returns the functions, structs and enums of the headers in a bundle: their text by name, without comments and with
 * single spaces.
 *
 * @param {string} bundle
 */
function readDeclarations(bundle) {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-llama-'));
  try {
    const repository = join(folder, 'bundle.git');
    execFileSync('git', ['clone', '--quiet', '--bare', bundle, repository]);
    const headers = HEADERS.map((file) =>
      execFileSync('git', ['--git-dir', repository, 'show', `HEAD:${file}`], { encoding: 'utf8' }),
    )
      .join('\n')
      .replaceAll(/\/\*.*?\*\//gs, '')
      .replaceAll(/\/\/.*/g, '')
      .replaceAll(/\s+/g, ' ');
    const functions = headers.matchAll(
      /(?:LLAMA_API|GGML_API|GGML_BACKEND_API|MTMD_API) [^;{}]*?(\w+) ?\([^;{}]*\) ?;/g,
    );
    const types = headers.matchAll(/(?:struct|enum) (\w+) \{[^{}]*\}/g);
    return new Map([...functions, ...types].map(([text, name = '']) => [name, text]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
