import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer } from 'vite';

// npm run dev: compiles src and workers and restarts the server when they change, and serves the chat page from its
// sources, so that it reloads in the browser. Arguments after -- go to `paddock serve`.

const COMPILER = 'node_modules/typescript/bin/tsc';
const BUNDLER = 'dist/web/build/programs.js';
/** A folder of its own: servers may run from dist/programs. */
const PROGRAMS = 'dist/dev/programs';
const MAIN = `${PROGRAMS}/paddock.js`;
const COMPILED = ['src', 'workers'].map((folder) => resolve(folder));

/** The paths that go to the server; Vite answers all others. */
const API = '^/(?:v1/|health$|openapi\\.json$|mcp/)';

/** Changes within this time lead to one compilation, in ms: editors may save several files at once. */
const SETTLE_MS = 100;

/** The server is killed this long after SIGTERM, in ms. By itself it would wait up to 10 s for running replies. */
const STOP_MS = 1000;

/** @type {import('node:child_process').ChildProcess | null} */
let server = null;
/** @type {import('vite').ProxyOptions} */
let proxyOptions = {};
let changed = true;
let busy = false;
/** @type {NodeJS.Timeout | undefined} */
let settling;

const vite = await createServer({
  configFile: 'web/chat/vite.config.ts',
  logLevel: 'warn',
  clearScreen: false,
  server: { host: '127.0.0.1', proxy: { [API]: { configure: keepOptions } } },
});
vite.watcher.add(COMPILED);
vite.watcher.on('all', (_event, file) => {
  if (!COMPILED.some((folder) => file.startsWith(folder + sep))) return;
  changed = true;
  clearTimeout(settling);
  settling = setTimeout(refresh, SETTLE_MS);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end);
// However this script ends, the server ends too.
process.on('exit', () => server?.kill('SIGKILL'));
await vite.listen();
await refresh();

/**
 * Stores the options of Vite's proxy, since the server's URL is known only once it runs.
 * @param {unknown} _proxy
 * @param {import('vite').ProxyOptions} options
 */
function keepOptions(_proxy, options) {
  proxyOptions = options;
}

/** Compiles, and restarts the server if the compilation succeeds. Starts over if a file has changed meanwhile. */
async function refresh() {
  if (busy) return;
  busy = true;
  while (changed) {
    changed = false;
    if (await compile()) await restart();
    else say('This does not compile. The next change tries again.');
  }
  busy = false;
}

async function compile() {
  return (await succeeds(COMPILER, '--build', '--pretty')) && (await succeeds(BUNDLER, PROGRAMS));
}

/**
 * Runs a script of Node to its end. True if its exit code is 0.
 * @param {string[]} script its file and its arguments
 */
async function succeeds(...script) {
  const child = spawn(process.execPath, script, { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

async function restart() {
  await stop();
  const args = [MAIN, 'serve', ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  server = child;
  child.once('exit', (code) => {
    if (server !== child) return;
    server = null;
    say(`The server ended with code ${code}. The next change starts it again.`);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, url] = /ready on (http:\S+)/.exec(line) ?? [];
    if (url) announce(url);
  });
}

/** @param {string} url the server's */
function announce(url) {
  proxyOptions.target = url;
  say(`The server:    ${url}`);
  say(`The chat page: ${vite.resolvedUrls?.local[0]} (it reloads when its files change)`);
}

async function stop() {
  const child = server;
  if (!child) return;
  server = null;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}

async function end() {
  await Promise.all([stop(), vite.close()]);
  process.exit(0);
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}
