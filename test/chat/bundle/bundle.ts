import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const BUNDLE = join(ROOT, 'node_modules/node-llama-cpp/llama/gitRelease.bundle');

/** The part of llama.cpp's source that the tests of this folder read. Nothing of it is kept in this repository. */
export interface BundleSource {
  /** The source of llama.cpp's tests of replies. */
  tests: string;
  /** The chat templates of llama.cpp's tests, by the names of their files without the ending. */
  templates: Map<string, string>;
}

/** The reason why the bundle can't be read; undefined if it can. */
export const noBundle = spawnSync('git', ['--version']).status === 0 ? undefined : 'git is missing';

/** The reason why nothing can be compared with jinja2; undefined if it can. */
export const noJinja2 =
  noBundle ??
  (spawnSync('python3', ['-c', 'import jinja2']).status === 0
    ? undefined
    : 'python3 with jinja2 is missing (Debian: apt-get install python3-jinja2)');

/** Reads llama.cpp's source from the git bundle of node-llama-cpp, through a temporary folder. */
export function readBundle(): BundleSource {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-bundle-'));
  try {
    const repository = join(folder, 'bundle.git');
    execFileSync('git', ['clone', '--quiet', '--bare', BUNDLE, repository]);
    const files = ['--work-tree', folder, 'checkout', 'HEAD', '--', 'tests/test-chat.cpp', 'models/templates'];
    execFileSync('git', ['--git-dir', repository, ...files]);
    const templates = join(folder, 'models/templates');
    const names = readdirSync(templates).filter((name) => name.endsWith('.jinja'));
    return {
      tests: readFileSync(join(folder, 'tests/test-chat.cpp'), 'utf8'),
      templates: new Map(
        names.map((name) => [name.replace(/\.jinja$/, ''), readFileSync(join(templates, name), 'utf8')]),
      ),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
