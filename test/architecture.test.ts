import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

/** What each room may use besides itself: only what lies below it. */
const BELOW: Record<string, string[]> = {
  'src/core': [],
  'src/gguf': ['src/core'],
  'src/engine': ['src/core', 'src/gguf'],
  'src/net': [],
  'src/catalogue': ['src/core', 'src/gguf', 'src/engine', 'src/net', 'src/package-root.ts', 'src/replace-file.ts'],
  'src/media': ['src/core', 'src/net'],
  'src/pool': ['src/core', 'src/engine', 'src/package-root.ts'],
  'src/server': ['src/core', 'src/site-files.ts'],
  'src/telemetry': ['src/core', 'src/pool'],
  'src/cli': [
    'src/core',
    'src/gguf',
    'src/engine',
    'src/catalogue',
    'src/media',
    'src/pool',
    'src/server',
    'src/telemetry',
    'src/package-root.ts',
    'src/replace-file.ts',
    'src/site-files.ts',
  ],
  // Files that lie in src itself, in no room: the library, and what several rooms share and belongs to none.
  'src/index.ts': ['src/cli', 'src/site-files.ts'],
  'src/package-root.ts': [],
  'src/replace-file.ts': [],
  'src/site-files.ts': ['src/package-root.ts'],
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
  return [...text.matchAll(/(?:^|[\s([])(?:from|import|import\()\s*'([^']+)'/g)].map(([, name = '']) => ({
    file,
    imported: name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
  }));
}

/**
 * Follows the imports from file to file and returns the circles they close: the files of each in order, with the first
 * one again at the end. Finds at least one if there are any.
 */
function findCircles(imports: Import[]): string[][] {
  const importsOfFile = new Map<string, string[]>(imports.map(({ file }) => [file, []]));
  for (const { file, imported } of imports) importsOfFile.get(file)?.push(imported);
  const circles: string[][] = [];
  const done = new Set<string>();
  const follow = (file: string, way: string[]) => {
    const start = way.indexOf(file);
    if (start !== -1) circles.push([...way.slice(start), file]);
    if (start !== -1 || done.has(file)) return;
    for (const imported of importsOfFile.get(file) ?? []) follow(imported, [...way, file]);
    done.add(file);
  };
  for (const file of importsOfFile.keys()) follow(file, []);
  return circles;
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

describe('circles of imports', () => {
  const files = ['src', 'workers', 'web'].flatMap((folder) => filesIn(folder, /\.tsx?$/));
  const imports = files.flatMap(importsOf);
  const local = imports.filter(({ imported }) => files.includes(imported));

  it('do not exist in src, workers and web, types included', () => {
    expect(findCircles(imports)).toEqual([]);
  });

  it('would be found: any of the imports closes one if it is turned round', () => {
    expect(local.length).toBeGreaterThan(files.length);
    const overlooked = local.filter(
      ({ file, imported }) => findCircles([...local, { file: imported, imported: file }]).length === 0,
    );
    expect(overlooked).toEqual([]);
  });

  it.each<[string, string[], string[][]]>([
    ['a line', ['a b', 'b c'], []],
    ['two ways to one file', ['a b', 'a c', 'b d', 'c d'], []],
    ['a file that imports itself', ['a a'], [['a', 'a']]],
    ['a circle behind a line', ['a b', 'b c', 'c d', 'd b'], [['b', 'c', 'd', 'b']]],
    [
      'two circles',
      ['a b', 'b a', 'c d', 'd c'],
      [
        ['a', 'b', 'a'],
        ['c', 'd', 'c'],
      ],
    ],
  ])('are told from other shapes: %s', (_, pairs, circles) => {
    const some = pairs.map((pair) => pair.split(' ')).map(([file = '', imported = '']) => ({ file, imported }));
    expect(findCircles(some)).toEqual(circles);
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
