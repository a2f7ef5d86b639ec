import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const BUNDLE = join(ROOT, 'node_modules/node-llama-cpp/llama/gitRelease.bundle');
/** Where the parts that were read are kept, one file for each version of the bundle: git takes over a second to clone it. */
const KEPT = join(ROOT, '.cache/bundle');

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

let source: BundleSource | undefined;

/** Reads llama.cpp's source from the git bundle of node-llama-cpp, or from the file that an earlier call has kept. */
export function readBundle(): BundleSource {
  source ??= readKept();
  return source;
}

function readKept(): BundleSource {
  const { size, mtimeMs } = statSync(BUNDLE);
  const kept = join(KEPT, `${size}-${Math.trunc(mtimeMs)}.json`);
  mkdirSync(KEPT, { recursive: true });
  if (!existsSync(kept)) keep(kept);
  const { tests, templates } = JSON.parse(readFileSync(kept, 'utf8')) as Plain;
  return { tests, templates: new Map(templates) };
}

/** A source as JSON. */
type Plain = Omit<BundleSource, 'templates'> & { templates: [name: string, source: string][] };

/** Reads the bundle into a file, through a folder of this process: another may read the bundle at the same time. */
function keep(file: string): void {
  const folder = mkdtempSync(`${file}-`);
  try {
    const repository = join(folder, 'bundle.git');
    execFileSync('git', ['clone', '--quiet', '--bare', BUNDLE, repository]);
    const files = ['--work-tree', folder, 'checkout', 'HEAD', '--', 'tests/test-chat.cpp', 'models/templates'];
    execFileSync('git', ['--git-dir', repository, ...files]);
    const templates = join(folder, 'models/templates');
    const names = readdirSync(templates).filter((name) => name.endsWith('.jinja'));
    const plain: Plain = {
      tests: readFileSync(join(folder, 'tests/test-chat.cpp'), 'utf8'),
      templates: names.map((name) => [name.replace(/\.jinja$/, ''), readFileSync(join(templates, name), 'utf8')]),
    };
    writeFileSync(join(folder, 'source.json'), JSON.stringify(plain));
    renameSync(join(folder, 'source.json'), file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
