import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../kit/until.ts';

// docs/architecture.md lists the files that a streamed chat request passes. Here such a request is traced: V8 counts the calls of each
// function in the server's process, in the engine's and in the thread that renders templates, from just before the request to its end.

/** Rooms whose files are used everywhere, and files that work on timers of their own: the page leaves them out. */
const LEFT_OUT =
  /\bnode_modules\/|^src\/(?:utils|contract)\/|^src\/catalogue\/node\/watch\.ts$|^src\/load-program\.ts$/;

/**
 * Runs in each thread of each process before its own script. Writes the counts and sets them back to 0 each time that another file
 * `take-1`, `take-2` appears in the folder.
 */
const TAKE_COUNTS = `
  import { appendFileSync, existsSync } from 'node:fs';
  import { takeCoverage } from 'node:v8';
  const folder = FOLDER;
  let taken = 0;
  appendFileSync(folder + '/threads', 'x');
  process.on('exit', () => appendFileSync(folder + '/ended', 'x'));
  setInterval(() => {
    if (!existsSync(folder + '/take-' + (taken + 1))) return;
    taken += 1;
    takeCoverage();
    appendFileSync(folder + '/taken-' + taken, 'x');
  }, 10).unref();
`;

/** No thread has taken counts for this time, in ms: those that have not are gone. */
const SETTLED_MS = 3000;

/** So many requests are traced. A file is on their way if each of them passes it: a scan of the model folders, say, may run beside one. */
const TRACED = 3;

/** The time in the name of a file of counts, `coverage-<process>-<time in ms>-<thread>.json`. */
const WHEN = /(?<=^coverage-\d+)-\d+-/;

/** What V8 writes: the functions of each script, with the calls of the whole function as the first range. */
interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[] }[];
}

/** Returns the files in the blocks of the section on a request's way. Braces name several files of a folder, as in a shell. */
function listedStations(): string[] {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const section = /\n## A request's way\n(.*?)\n## /s.exec(page)?.[1] ?? '';
  const blocks = [...section.matchAll(/```\n(.*?)```/gs)].map(([, block = '']) => block);
  const names = blocks.join('').match(/(?:src|workers)\/[\w./{},-]+/g) ?? [];
  return names.flatMap((name) => {
    const [, folder, inner = '', end] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
    return folder === undefined ? [name] : inner.split(',').map((file) => `${folder}${file}${end}`);
  });
}

describe('the files on the way of a streamed chat request', () => {
  let folder: string;
  let server: ChildProcess | undefined;
  let passed: Set<string> | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paddock-way-'));
    const counts = join(folder, 'counts');
    await writeFile(join(folder, 'take-counts.mjs'), TAKE_COUNTS.replace('FOLDER', JSON.stringify(folder)));
    const args = ['dist/programs/paddock.js', 'serve', '--port', '0', '--backend', 'cpu', '--preload', 'pico'];
    // Where Paddock's kernels run, no JavaScript looks for the highest logits.
    args.push('--stock-kernels');
    const env = {
      ...process.env,
      NODE_V8_COVERAGE: counts,
      NODE_OPTIONS: `--import ${join(folder, 'take-counts.mjs')}`,
      PADDOCK_HOME: join(folder, 'home'),
      // Otherwise an idle thread waits outside of its event loop, and takes no counts.
      PISCINA_DISABLE_ATOMICS: '1',
    };
    server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [server.stdout, server.stderr]) stream?.on('data', (text) => (output += text));
    await until(() => /model loaded/.test(output) && /http:\/\/127\.0\.0\.1:\d+/.test(output));
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];

    /** Has all threads write their counts. Returns the names of the files that they wrote, by process and thread. */
    const takeCounts = async (turn: number) => {
      const known = new Set(turn === 1 ? [] : readdirSync(counts));
      await writeFile(join(folder, `take-${turn}`), '');
      const countOf = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name)).length : 0);
      // A thread that the server ends, as one with a slow task on a busy machine, takes no counts any more.
      let latest = { taken: 0, at: performance.now() };
      await until(() => {
        const taken = countOf(`taken-${turn}`);
        if (taken !== latest.taken) latest = { taken, at: performance.now() };
        const isSettled = taken > 0 && performance.now() - latest.at > SETTLED_MS;
        return isSettled || taken === countOf('threads') - countOf('ended');
      });
      const written = readdirSync(counts).filter((name) => !known.has(name));
      return new Map(written.map((name) => [name.replace(WHEN, '-'), name]));
    };
    const ask = async () => {
      const body = { model: 'pico', stream: true, max_tokens: 8, messages: [{ role: 'user', content: 'Hello' }] };
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(await reply.text()).toContain('[DONE]');
    };
    // The first request starts the thread that renders templates. A busy server may start another at a later request: that thread's
    // counts hold what ran while its modules loaded, so the request does not tell and is asked again.
    await ask();
    let before = await takeCounts(1);
    const traced: Set<string>[] = [];
    for (let turn = 2; traced.length < TRACED; turn++) {
      await ask();
      const after = await takeCounts(turn);
      const isSame = after.size === before.size && [...after.keys()].every((thread) => before.has(thread));
      if (isSame) traced.push(new Set([...after.values()].flatMap((name) => calledIn(join(counts, name)))));
      before = after;
    }
    passed = new Set([...(traced[0] ?? [])].filter((file) => traced.every((files) => files.has(file))));
  }, 120_000);

  afterAll(async () => {
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    server?.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });

  const stations = () => passed ?? new Set<string>();

  it('are all listed in docs/architecture.md', () => {
    const listed = listedStations();
    const isListed = (file: string) =>
      listed.some((name) => (name.endsWith('/') ? file.startsWith(name) : file === name));
    expect(stations().size).toBeGreaterThan(100);
    expect([...stations()].filter((file) => !LEFT_OUT.test(file) && !isListed(file)).sort()).toEqual([]);
  });

  it('are the only ones that are listed there', () => {
    const isPassed = (name: string) =>
      name.endsWith('/') ? [...stations()].some((file) => file.startsWith(name)) : stations().has(name);
    expect(listedStations().filter((name) => !isPassed(name))).toEqual([]);
  });
});

/** Returns the source files of which a function was called, by the counts in a file. What runs when a module loads does not count. */
function calledIn(file: string): string[] {
  const { result } = JSON.parse(readFileSync(file, 'utf8')) as Coverage;
  return result
    .filter(({ url }) => url.includes('/dist/programs/'))
    .flatMap(({ url, functions }) => {
      const sourceAt = sourcesOf(fileURLToPath(url));
      return functions.flatMap(({ functionName, ranges: [whole] }) => {
        if (!whole || whole.count === 0 || (functionName === '' && whole.startOffset === 0)) return [];
        return sourceAt(whole.startOffset) ?? [];
      });
    });
}

/** What stands before a function by which a file of a bundle gives a name to others. It is no function of a source. */
const EXPORTS = '{enumerable:true,get:';

/** Returns a function that finds the source of a place in a bundle, which it takes in characters. */
function sourcesOf(bundle: string): (offset: number) => string | null {
  const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')));
  const text = readFileSync(bundle, 'utf8');
  const lines = text.split('\n');
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return (offset) => {
    if (text.slice(0, offset).endsWith(EXPORTS)) return null;
    const after = starts.findIndex((start) => start > offset);
    const entry = map.findEntry(after - 1, offset - (starts[after - 1] ?? 0));
    if (!('originalSource' in entry)) return null;
    return relative('.', join(dirname(bundle), entry.originalSource));
  };
}
