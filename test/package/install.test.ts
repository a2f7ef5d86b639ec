import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

const run = promisify(execFile);

const MOST_BYTES = 9_600_000;
const MACHINE = `${process.platform}-${process.arch}`;

/** The machines that node-llama-cpp calls by another name. */
const LLAMA_NAMES: Record<string, string> = {
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
};

/** The files that the tarball may hold. */
const SHIPPED = [
  /^(package\.json|README\.md|LICENSE)$/,
  /^dist\/programs\/(parts\/)?[\w-]+\.js(\.map)?$/,
  /^dist\/programs\/licences\.txt$/,
  // What compiles the reader of images and recordings.
  /^native\/build-(?:cuda|media)\.js$/,
  /^native\/llama-source\.js$/,
  /^dist\/src\/(index|site-files)\.d\.ts$/,
  /^dist-web\/(index\.html|icon\.svg|service-worker\.js|licences\.txt|assets\/chat\.css)$/,
  // The page's scripts, those that come only when they are needed too, and its words in other languages.
  /^dist-web\/assets\/([\w-]+|languages\/[a-z]{2})\.js$/,
  // What a browser needs to install the page.
  /^dist-web\/(app\.webmanifest|icon-(192|512|maskable)\.png)$/,
  // What the page fetches only when it is needed: for tools, PDFs, formulas, diagrams and models to begin with.
  /^dist-web\/mcp\/worker\.js$/,
  /^dist-web\/assets\/pdf\/([\w.-]+\.js|tables\/[\w-]+\.bcmap)$/,
  /^dist-web\/assets\/((typeset|highlight|starters)\.css|fonts\/KaTeX_[\w-]+\.woff2)$/,
  /^dist-web\/diagrams\/(index\.html|[\w.-]+\.js)$/,
  /^dist-web\/paddock\/(client\.d\.ts|(client|engine-worker|models-worker)\.js|models\/built-in\.json)$/,
  /^models\/pico\/(pico\.gguf|model\.json|README\.md)$/,
  /^native\/prebuilt\/linux-x64\/libpaddock-kernels\.so(\.sha256)?$/,
];

/** A file of a program that uses both libraries; the marked line must be an error. */
const CONSUMER = `
import { listPaddockSite, type PaddockServer, type ServerOptions, startServer } from 'paddock';
import { type Paddock, startPaddock } from 'paddock/web';

const options: ServerOptions = { backend: 'cpu', apiKey: 'secret', slots: 2 };
const server: PaddockServer = await startServer(options);
const url: string = server.url;
await server.close();
const site: Map<string, string> = await listPaddockSite();
const paddock: Paddock = await startPaddock({ reload: false });
// @ts-expect-error
await startServer({ port: 'free' });
export { paddock, site, url };
`;

/** Without types of Node or of anything else, and with the libraries' own types checked as well. */
const CONSUMER_TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    module: 'NodeNext',
    types: [],
    skipLibCheck: false,
  },
  files: ['consumer.mts'],
};

/** A program that uses the library and then has nothing left to do. */
const SCRIPT = `
import { startServer } from 'paddock';

const server = await startServer({ backend: 'cpu', threads: 1 });
const response = await fetch(server.url + '/v1/chat/completions', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'pico', messages: [{ role: 'user', content: 'My name is Ada.' }] }),
});
console.log((await response.json()).choices[0].message.content);
await server.close();
`;

/** The reply of pico to "What can you do?". */
const ANSWER = { choices: [{ message: { content: expect.stringContaining('answer questions about Paddock') } }] };

interface Packed {
  filename: string;
  /** Of the tarball, in bytes. */
  size: number;
  files: { path: string }[];
}

interface LockFile {
  packages: Record<string, { name?: string; version?: string }>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
const lockFile = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;

/** All packages of the lock file, as `name@version`. */
const locked = Object.entries(lockFile.packages).map(
  ([place, { name, version }]) => `${name ?? place.replace(/^.*node_modules\//, '')}@${version}`,
);

/** A folder for this file: it holds the tarball, and a folder with the small installation of docs/install.md. */
let folder: string;
let installed: string;
let packed: Packed;
/** The packages of binaries in it, as `name@version`. */
let natives: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-package-'));
  installed = join(folder, 'installed');
  await mkdir(installed);
  packed = await pack();
  await install();
}, 300_000);
afterAll(() => rm(folder, { recursive: true }));

/** Packs what is built, without the scripts that would build it anew under the feet of others. */
async function pack(): Promise<Packed> {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]);
  return JSON.parse(stdout)[0];
}

/** Installs what docs/install.md says for the CPU alone, but for the packages that read images. */
async function install(): Promise<void> {
  const [major] = process.versions.node.split('.');
  natives = [
    lockedPackage(`@uwsjs/${MACHINE}-${major}@`),
    lockedPackage(`@node-llama-cpp/${LLAMA_NAMES[MACHINE] ?? MACHINE}@`),
    lockedPackage(`@koromix/koffi-${MACHINE}@`),
  ];
  const options = ['--prefix', installed, '--omit=optional', '--ignore-scripts', '--prefer-offline'];
  await run('npm', ['install', ...options, join(folder, packed.filename), ...natives]);
}

/** The oldest package of the lock file whose name and version begin so. */
function lockedPackage(beginning: string): string {
  const [found] = locked.filter((entry) => entry.startsWith(beginning)).sort();
  if (found === undefined) throw new Error(`package-lock.json has no ${beginning}`);
  return found;
}

function inPackage(path: string): string {
  return join(installed, 'node_modules', 'paddock', path);
}

/** Starts the installed `paddock serve`, until the end of the test at the latest. */
async function startInstalled(...args: string[]): Promise<RunningServer> {
  const env = { PADDOCK_HOME: join(folder, 'home') };
  const server = await startServer(['--threads', '1', ...args], env, inPackage('dist/programs/paddock.js'));
  onTestFinished(async () => {
    await server.stop();
  });
  return server;
}

async function askPico(url: string): Promise<unknown> {
  const messages = [{ role: 'user', content: 'What can you do?' }];
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'pico', temperature: 0, messages }),
  });
  return response.json();
}

/** Returns the package of an import, as in `@scope/name` of `@scope/name/file`. */
function packageOf(imported: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(imported)?.[0] ?? '';
}

describe('the tarball', () => {
  it('has at most 9.6 MB', () => {
    expect(packed.size).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('holds scripts, their source maps, the site and pico once, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !SHIPPED.some((pattern) => pattern.test(path)))).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(['dist/programs/load-program.js.map', 'dist/programs/inference.js']));
  });

  it('depends on the packages that its scripts import, and on no others', async () => {
    const files = (await readdir(inPackage('dist'), { recursive: true })).filter((name) => name.endsWith('.js'));
    const texts = await Promise.all(files.map((name) => readFile(inPackage(join('dist', name)), 'utf8')));
    // Bundles have `loadES` in place of `import`.
    const named = /\b(?:require|loadES)\(["'`]([@\w][\w@./-]*)["'`]\)/g;
    const names = texts.flatMap((code) => [...code.matchAll(named)].map(([, name = '']) => name));
    const imported = new Set(names.filter((name) => !isBuiltin(name)).map(packageOf));
    const declared = Object.keys(manifest.dependencies);
    expect(imported).toContain('node-llama-cpp');
    expect([...imported].filter((name) => !declared.includes(name))).toEqual([]);
    // Some are required or resolved by name.
    const isNamed = (name: string) => texts.some((text) => new RegExp(`['"\`]${name}['"\`/]`).test(text));
    expect(declared.filter((name) => !isNamed(name))).toEqual([]);
  });
});

describe('the installed command', () => {
  it('is paddock', async () => {
    const { stdout } = await run(join(installed, 'node_modules', '.bin', 'paddock'), ['--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('serves pico on the CPU', async () => {
    const server = await startInstalled('--backend', 'cpu');
    expect(await askPico(server.url)).toMatchObject(ANSWER);
    expect(await server.stop()).toBe(0);
  });

  it('serves each file that the service worker will keep, although the package holds some elsewhere', async () => {
    const server = await startInstalled();
    const worker = await (await fetch(`${server.url}/service-worker.js`)).text();
    const listed = new Map(
      [...worker.matchAll(/path:[`'"]([^`'"]+)[`'"],hash:[`'"]([0-9a-f]{64})/g)].map(([, path, hash]) => [path, hash]),
    );
    expect([...listed.keys()]).toEqual(
      expect.arrayContaining([
        'index.html',
        'paddock/wllama.wasm',
        'paddock/compat/wllama.js',
        'paddock/models/pico.gguf',
      ]),
    );
    for (const [path, hash] of listed) {
      const content = new Uint8Array(await (await fetch(`${server.url}/${path}`)).arrayBuffer());
      expect([path, createHash('sha256').update(content).digest('hex')]).toEqual([path, hash]);
    }
  });

  it('falls to WebAssembly where there are no native packages, and says why', async () => {
    const binaries = join(installed, 'node_modules', '@node-llama-cpp');
    await rename(binaries, `${binaries}-away`);
    onTestFinished(() => rename(`${binaries}-away`, binaries));
    const server = await startInstalled('--slots', '1');
    expect(await askPico(server.url)).toMatchObject(ANSWER);
    const reason = 'no native binary of llama.cpp is installed';
    // Where there can be no GPU, no binary is looked for.
    const gpu = expect.stringMatching(`^gpu: (${reason}|no GPU has a device file in /dev)$`);
    expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({
      models: [{ backend: 'wasm', fallback_reasons: [gpu, `cpu: ${reason}`] }],
    });
  }, 120_000);
});

describe('the installed library', () => {
  it('serves from a script, which ends when it has closed the server', async () => {
    await writeFile(join(installed, 'script.mjs'), SCRIPT);
    const env = { ...process.env, PADDOCK_HOME: join(folder, 'home') };
    const { stdout, stderr } = await run(process.execPath, ['script.mjs'], { cwd: installed, env });
    expect(stdout).toContain('Ada');
    expect(stderr).toBe('');
  });

  it('has types that need nothing else, as has paddock/web', async () => {
    await writeFile(join(installed, 'consumer.mts'), CONSUMER);
    await writeFile(join(installed, 'tsconfig.json'), JSON.stringify(CONSUMER_TSCONFIG));
    const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', installed]);
    expect(stdout).toBe('');
  });
});

describe('docs/install.md', () => {
  it.runIf(MACHINE === 'linux-x64')('names the packages that are installed here', async () => {
    const text = await readFile('docs/install.md', 'utf8');
    expect(natives.filter((name) => !text.includes(name))).toEqual([]);
  });

  it('names native packages in the versions that the lock file has', async () => {
    const text = await readFile('docs/install.md', 'utf8');
    const named = [...text.matchAll(/@(?:uwsjs|node-llama-cpp|img)\/[\w-]+@[\d.]+\d/g)].map(([name]) => name);
    expect(named).not.toEqual([]);
    expect(named.filter((name) => !locked.includes(name))).toEqual([]);
  });
});
