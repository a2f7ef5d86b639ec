import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

/** What each room may use besides itself: only what lies below it. */
const BELOW: Record<string, string[]> = {
  'src/core': [],
  'src/gguf': ['src/core'],
  'src/engine': ['src/core', 'src/gguf'],
  'src/catalogue': ['src/core', 'src/gguf', 'src/engine', 'src/package-root.ts'],
  'src/media': ['src/core'],
  'src/pool': ['src/core', 'src/engine'],
  'src/server': ['src/core', 'src/site-files.ts'],
  'src/cli': [
    'src/core',
    'src/gguf',
    'src/engine',
    'src/catalogue',
    'src/media',
    'src/pool',
    'src/server',
    'src/package-root.ts',
  ],
  // Files that lie in src itself, in no room: what several rooms share and belongs to none.
  'src/package-root.ts': [],
  'src/site-files.ts': [],
  workers: ['src/core', 'src/engine'],
  web: ['src/core', 'src/gguf', 'src/engine', 'src/catalogue', 'src/media', 'src/package-root.ts', 'src/site-files.ts'],
};

/** The only packages of `src/core`, whatever ground it runs on. */
const OF_CORE = ['valibot', '@valibot/to-json-schema', '@huggingface/jinja'];

/** What a browser can't load, or what Vite puts in its place. The API names node-llama-cpp, but must not load it. */
const OF_NODE = /["'`]node:|vite-browser-external|piscina|uWebSockets|(?:from|import|require)[\s(]*["'`]node-llama-cpp/;

/** In dist-web, beside the chat page's assets. */
const BUNDLE = ['service-worker.js', 'paddock/engine-worker.js', 'paddock/models-worker.js', 'paddock/client.js'];

interface Import {
  file: string;
  /** A path from the root of the repository, or a package. */
  imported: string;
}

function filesIn(place: string, ending: RegExp): string[] {
  if (ending.test(place)) return [place];
  return readdirSync(place, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Type imports count as well. */
function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:^|\s)(?:from|import|import\()\s*'([^']+)'/g)].map(([, name = '']) => ({
    file,
    imported: name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
  }));
}

function isUnder(path: string, place: string): boolean {
  return path === place || path.startsWith(place + sep);
}

describe('imports', () => {
  it('are ruled for every folder of src, and for every file that lies in src itself', () => {
    const rooms = readdirSync('src')
      .filter((name) => !name.endsWith('.d.ts'))
      .map((name) => `src/${name}`);
    expect(rooms.filter((room) => !(room in BELOW))).toEqual([]);
  });

  it.each(Object.entries(BELOW))('of %s point down only, to %j', (room, below) => {
    const imports = filesIn(room, /\.tsx?$/).flatMap(importsOf);
    expect(imports).not.toEqual([]);
    const local = imports.filter(({ imported }) => Object.keys(BELOW).some((other) => isUnder(imported, other)));
    const upward = local.filter(({ imported }) => ![room, ...below].some((allowed) => isUnder(imported, allowed)));
    expect(upward).toEqual([]);
  });

  it('of src/core reach nothing outside it but the packages that run anywhere', () => {
    const imports = filesIn('src/core', /\.ts$/).flatMap(importsOf);
    const outside = imports.filter(({ imported }) => !isUnder(imported, 'src/core') && !OF_CORE.includes(imported));
    expect(outside).toEqual([]);
  });
});

describe('the built web bundle', () => {
  it('has its scripts under their fixed names', () => {
    expect(BUNDLE.filter((file) => !existsSync(join('dist-web', file)))).toEqual([]);
  });

  it('holds nothing that only Node can load', () => {
    const scripts = filesIn('dist-web', /\.js$/);
    const found = scripts.map((file) => [file, OF_NODE.exec(readFileSync(file, 'utf8'))?.[0]]);
    expect(found.filter(([, name]) => name !== undefined)).toEqual([]);
  });
});
