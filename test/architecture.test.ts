import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The rooms that run on any ground: no Node, no DOM. `tsconfig.neutral.json` compiles them without the types of either. */
const NEUTRAL = [
  'src/utils',
  'src/contract',
  'src/wire',
  'src/sampling',
  'src/grammar',
  'src/chat',
  'src/dispatch',
  'src/api',
];

/** What each room may use besides itself: only what lies below it. */
const BELOW: Record<string, string[]> = {
  'src/utils': [],
  'src/contract': ['src/utils'],
  'src/wire': ['src/contract'],
  'src/sampling': ['src/contract'],
  'src/grammar': ['src/contract', 'src/utils'],
  'src/chat': ['src/contract', 'src/utils', 'src/grammar'],
  'src/dispatch': ['src/contract', 'src/utils', 'src/wire'],
  'src/api': ['src/contract', 'src/utils', 'src/wire', 'src/chat'],
  'src/gguf': ['src/contract'],
  'src/net': [],
  'src/engine': [
    'src/contract',
    'src/utils',
    'src/sampling',
    'src/grammar',
    'src/chat',
    'src/gguf',
    'src/package-root.ts',
  ],
  'src/media': ['src/contract', 'src/utils', 'src/net', 'src/package-root.ts'],
  'src/catalogue': [
    'src/contract',
    'src/utils',
    'src/wire',
    'src/chat',
    'src/api',
    'src/gguf',
    'src/engine',
    'src/net',
    'src/package-root.ts',
    'src/replace-file.ts',
  ],
  'src/pool': [
    'src/contract',
    'src/utils',
    'src/wire',
    'src/chat',
    'src/dispatch',
    'src/engine',
    'src/own-folder.ts',
    'src/package-root.ts',
  ],
  'src/batches': ['src/contract', 'src/utils', 'src/dispatch', 'src/api', 'src/own-folder.ts', 'src/replace-file.ts'],
  'src/mcp': ['src/contract', 'src/utils'],
  'src/server': ['src/contract', 'src/api', 'src/site-files.ts'],
  'src/telemetry': ['src/contract', 'src/utils', 'src/api', 'src/pool'],
  'src/serve': [
    'src/contract',
    'src/utils',
    'src/api',
    'src/engine',
    'src/catalogue',
    'src/media',
    'src/pool',
    'src/batches',
    'src/mcp',
    'src/server',
    'src/telemetry',
    'src/package-root.ts',
    'src/replace-file.ts',
    'src/site-files.ts',
  ],
  'src/cli': [
    'src/contract',
    'src/utils',
    'src/chat',
    'src/api',
    'src/engine',
    'src/catalogue',
    'src/pool',
    'src/server',
    'src/serve',
    'src/package-root.ts',
    'src/replace-file.ts',
    'src/source-lines.ts',
  ],
  // Files that lie in src itself, in no room: the library, and what several rooms share and belongs to none.
  'src/index.ts': ['src/serve', 'src/site-files.ts'],
  'src/load-program.ts': [],
  'src/own-folder.ts': [],
  'src/package-root.ts': [],
  'src/replace-file.ts': [],
  'src/site-files.ts': ['src/package-root.ts'],
  'src/source-lines.ts': [],
  workers: ['src/contract', 'src/wire', 'src/chat', 'src/engine', 'src/media', 'src/source-lines.ts'],
  'web/mcp': ['src/utils'],
  'web/leader': ['web/protocol.ts', 'web/liveness.ts', 'web/worker-inbox.ts'],
  'web/gpu': [],
  'web/engine': [
    'web/gpu',
    'src/contract',
    'src/utils',
    'src/wire',
    'src/dispatch',
    'src/engine',
    'web/protocol.ts',
    'web/config.ts',
    'web/console-log.ts',
    'web/liveness.ts',
    'web/worker-inbox.ts',
  ],
  'web/models': [
    'web/gpu',
    'src/contract',
    'src/utils',
    'src/wire',
    'src/gguf',
    'src/engine',
    'src/catalogue',
    'web/protocol.ts',
    'web/console-log.ts',
    'web/liveness.ts',
    'web/worker-inbox.ts',
  ],
  'web/media': ['src/contract', 'src/media', 'web/body-chunks.ts'],
  'web/service-worker': [
    'src/contract',
    'src/utils',
    'src/wire',
    'src/dispatch',
    'src/api',
    'src/engine',
    'src/catalogue',
    'web/models',
    'web/media',
    'web/protocol.ts',
    'web/config.ts',
    'web/body-chunks.ts',
    'web/console-log.ts',
    'web/liveness.ts',
  ],
  'web/client': ['src/api', 'web/leader', 'web/engine', 'web/protocol.ts', 'web/config.ts', 'web/body-chunks.ts'],
  'web/chat': [
    'src/contract',
    'src/utils',
    'src/api',
    'src/media',
    'src/site-files.ts',
    'web/mcp',
    'web/client',
    'web/protocol.ts',
    'web/config.ts',
    'web/body-chunks.ts',
  ],
  'web/build': [
    'src/contract',
    'src/api',
    'src/gguf',
    'src/engine',
    'src/catalogue',
    'src/package-root.ts',
    'src/site-files.ts',
    'web/service-worker',
    'web/protocol.ts',
  ],
  // Files that lie in web itself, which several of its rooms share.
  'web/protocol.ts': ['src/contract', 'src/engine'],
  'web/config.ts': ['web/protocol.ts'],
  'web/liveness.ts': ['src/contract', 'web/protocol.ts'],
  'web/worker-inbox.ts': ['web/protocol.ts', 'web/liveness.ts'],
  'web/console-log.ts': ['src/contract'],
  'web/body-chunks.ts': [],
};

/** What the code that is never shipped may use besides itself: the kit is shared, and depends on none of its users. */
const BESIDE_THE_PRODUCT: Record<string, string[]> = {
  'test/kit': ['src', 'web/protocol.ts'],
  'test/trials': ['src', 'test/kit'],
  benchmarks: ['src', 'test/kit'],
  'models/pico': ['src', 'test/kit'],
};

/** The roles of the files of the chat page, each told by the file's name. */
type Role = 'entry' | 'view' | 'actions' | 'storage' | 'data';

const ROLES: [Role, RegExp][] = [
  ['entry', /^(?:main\.tsx?|vite\.config\.ts)$/],
  ['view', /\.tsx$|^use-.*\.ts$/],
  ['actions', /(?:^|-)actions\.ts$/],
  ['storage', /(?:^|-)storage\.ts$|^(?:database|preferences)\.ts$/],
  ['data', /\.ts$/],
];

/** What a file of each role may import of the chat page. Only entries put all together. */
const ROLES_BELOW: Record<Role, Role[]> = {
  entry: ['view', 'actions', 'storage', 'data'],
  view: ['view', 'actions', 'data'],
  actions: ['actions', 'storage', 'data'],
  storage: ['storage', 'data'],
  data: ['data'],
};

/** Views that read and store a choice themselves: the choice changes this one view only, so the page's state lacks it. */
const VIEWS_THAT_STORE = ['web/chat/composer/use-enter.ts', 'web/chat/sidebar/use-closed-folders.ts'];

/** The only packages of the neutral rooms. */
const NEUTRAL_PACKAGES = ['valibot', '@valibot/to-json-schema', '@huggingface/jinja'];

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
  it.each(['src', 'web'])('are ruled for every folder of %s, and for every file that lies in it', (place) => {
    const rooms = readdirSync(place)
      .filter((name) => !/\.d\.ts$|\.json$/.test(name))
      .map((name) => `${place}/${name}`);
    expect(rooms.filter((room) => !(room in BELOW))).toEqual([]);
  });

  it('are ruled without circles between the rooms', () => {
    const arrows = Object.entries(BELOW).flatMap(([file, below]) => below.map((imported) => ({ file, imported })));
    expect(findCircles(arrows)).toEqual([]);
  });

  it.each(Object.entries(BELOW))('of %s point down only, to %j', (room, below) => {
    const imports = filesIn(room, /\.tsx?$/).flatMap(importsOf);
    const local = imports.filter(({ imported }) => Object.keys(BELOW).some((other) => isUnder(imported, other)));
    const upward = local.filter(({ imported }) => ![room, ...below].some((allowed) => isUnder(imported, allowed)));
    expect(upward).toEqual([]);
  });

  it.each(Object.entries(BESIDE_THE_PRODUCT))('of %s stay in it or lead to %j', (room, allowed) => {
    const imports = filesIn(room, /\.tsx?$/).flatMap(importsOf);
    const outside = imports.filter(
      ({ imported }) => existsSync(imported) && ![room, ...allowed].some((place) => isUnder(imported, place)),
    );
    expect(outside).toEqual([]);
  });

  it.each(['src', 'workers', 'web'])('of %s never lead to tests, benchmarks or the scripts of models', (room) => {
    const imports = filesIn(room, /\.tsx?$/).flatMap(importsOf);
    const places = ['test', 'benchmarks', 'models'];
    expect(imports.filter(({ imported }) => places.some((place) => isUnder(imported, place)))).toEqual([]);
  });

  it.each(NEUTRAL)('of %s reach nothing outside the neutral rooms but packages that run anywhere', (room) => {
    const imports = filesIn(room, /\.ts$/).flatMap(importsOf);
    const outside = imports.filter(
      ({ imported }) => !NEUTRAL.some((other) => isUnder(imported, other)) && !NEUTRAL_PACKAGES.includes(imported),
    );
    expect(outside).toEqual([]);
  });

  it('of the neutral rooms are compiled without the types of Node and of browsers', () => {
    const { compilerOptions, include } = JSON.parse(readFileSync('tsconfig.neutral.json', 'utf8')) as {
      compilerOptions: { types: string[]; lib?: string[] };
      include: string[];
    };
    expect(compilerOptions).toMatchObject({ types: [] });
    expect(compilerOptions).not.toHaveProperty('lib');
    expect(include).toEqual(NEUTRAL.map((room) => `${room}/**/*.ts`));
  });
});

describe('the imports of the chat page', () => {
  const files = filesIn('web/chat', /\.tsx?$/);
  const roleOf = (file: string) => ROLES.find(([, name]) => name.test(basename(file)))?.[0] ?? 'entry';

  it.each(Object.entries(ROLES_BELOW))('of a file in the role %s lead to %j only', (role, below) => {
    const imports = files.filter((file) => roleOf(file) === role).flatMap(importsOf);
    const wrong = imports.filter(
      ({ file, imported }) =>
        files.includes(imported) &&
        !below.includes(roleOf(imported)) &&
        !(roleOf(imported) === 'storage' && VIEWS_THAT_STORE.includes(file)),
    );
    expect(wrong).toEqual([]);
  });

  it('lead to Preact from views and entries only', () => {
    const others = files.filter((file) => !['view', 'entry'].includes(roleOf(file))).flatMap(importsOf);
    expect(others.filter(({ imported }) => /^preact\b/.test(imported))).toEqual([]);
  });

  it('lead from a view to the storage where an exception says so, and every exception is needed', () => {
    const storing = VIEWS_THAT_STORE.flatMap(importsOf).filter(({ imported }) => roleOf(imported) === 'storage');
    expect(storing.map(({ file }) => file)).toEqual(VIEWS_THAT_STORE);
  });
});

describe('the C API of llama.cpp', () => {
  it('is called from one folder: nothing else imports koffi', () => {
    const users = filesIn('src', /\.ts$/)
      .flatMap(importsOf)
      .filter(({ imported }) => imported === 'koffi')
      .map(({ file }) => file);
    expect(users.sort()).toEqual(
      ['bindings.ts', 'structs.ts'].map((name) => `src/engine/native/llama/library/${name}`),
    );
  });
});

describe('circles of imports', () => {
  const files = ['src', 'workers', 'web', 'benchmarks', 'models', 'test/kit', 'test/trials'].flatMap((folder) =>
    filesIn(folder, /\.tsx?$/),
  );
  const imports = files.flatMap(importsOf);
  const local = imports.filter(({ imported }) => files.includes(imported));

  it('do not exist, types included', () => {
    expect(findCircles(imports)).toEqual([]);
  });

  it('would be found: every hundredth of the imports closes one if it is turned round', () => {
    expect(local.length).toBeGreaterThan(files.length);
    const tried = local.filter((_, index) => index % 100 === 0);
    const overlooked = tried.filter(
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
