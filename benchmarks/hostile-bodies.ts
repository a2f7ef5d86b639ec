import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { writeTinyModel } from '../test/kit/models/tiny-model.ts';
import { startServer } from '../test/kit/servers/server.ts';

/**
 * Measures how long one hostile request body keeps a server from answering `/health`. Each body goes to a new server,
 * while another thread requests `/health` again and again. The table has the answer to the body and its time, the
 * longest time without an answer of `/health`, the CPU time of the server's main thread in that time, and the server's
 * peak memory. On a busy machine, the CPU time is the better figure. `--main` measures another build of Paddock.
 * `--only` measures the bodies whose names contain a text.
 */
interface HostileBody {
  name: string;
  path?: string;
  /** A text is sent at once. Several pieces are sent as separate chunks. */
  body: string | string[];
}

/** The server that `watchHealth` asks. */
interface Watched {
  url: string;
  pid: number;
}

/**
 * The longest time between two answers of `/health`, and the longest CPU time of the main thread between two, in ms.
 */
interface Gaps {
  gapMs: number;
  computedMs: number;
}

const LIMIT = 32 * 1024 * 1024;
const ASK_EVERY_MS = 2;

async function measureAll(): Promise<void> {
  const { values } = parseArgs({
    options: { main: { type: 'string', default: 'dist/programs/paddock.js' }, only: { type: 'string', default: '' } },
  });
  const models = mkdtempSync(join(tmpdir(), 'paddock-bench-'));
  try {
    writeTinyModel(join(models, 'tiny.gguf'));
    const load = loadavg()[0]?.toFixed(1);
    print(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}, load ${load}\n`);
    print('| body | MB | answer | after, ms | longest gap of /health, ms | computed in a gap, ms | resident, MB |');
    print('|---|---|---|---|---|---|---|');
    for (const [name, make] of Object.entries(BODIES)) {
      if (!name.includes(values.only)) continue;
      const row = await measure({ name, ...make() }, models, values.main);
      print(`| ${row.join(' | ')} |`);
    }
  } finally {
    rmSync(models, { recursive: true });
  }
}

async function measure({ name, path, body }: HostileBody, models: string, main: string): Promise<(string | number)[]> {
  // A content filter reads the whole prompt.
  const env = { PADDOCK_CONTENT_FILTER: '%%%%' };
  const server = await startServer(['--models', models, '--backend', 'cpu', '--threads', '1'], env, main);
  try {
    // Loads the model and warms up the code, as on a server that has been running for a while.
    const warm = JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 });
    for (let times = 0; times < 20; times++) await post(server.url, '/v1/chat/completions', warm);
    const watch = new Worker(new URL(import.meta.url), {
      workerData: { url: server.url, pid: server.pid } satisfies Watched,
    });
    await new Promise((resolve) => watch.once('message', resolve));
    const start = performance.now();
    const answer = await post(server.url, path ?? '/v1/chat/completions', body);
    const took = performance.now() - start;
    const { gapMs, computedMs } = await new Promise<Gaps>((resolve) => {
      watch.once('message', resolve).postMessage('end');
    });
    const size = typeof body === 'string' ? Buffer.byteLength(body) : Buffer.byteLength(body.join(''));
    return [
      name,
      (size / 1e6).toFixed(1),
      answer,
      Math.round(took),
      Math.round(gapMs),
      Math.round(computedMs),
      peakMemory(server.pid),
    ];
  } finally {
    process.kill(server.pid, 'SIGKILL');
  }
}

/** Sends a body and returns the status and the code of the error, or how the connection ended. */
function post(url: string, path: string, body: string | string[]): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' };
    const sending = request(url + path, { method: 'POST', headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve(`${response.statusCode} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim()));
    });
    sending.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    // A server may close the connection before it has read the whole body.
    sending.on('socket', (socket) => socket.on('error', () => {}));
    sending.setTimeout(120_000, () => sending.destroy(new Error('no answer within 120 s')));
    if (typeof body === 'string') sending.end(body);
    else {
      for (const piece of body) sending.write(piece);
      sending.end();
    }
  });
}

/** Returns the peak of resident memory, in MB. */
function peakMemory(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1000);
}

/**
 * Runs in the thread: requests `/health` until it is told to stop, then sends the longest times between two answers.
 */
function watchHealth({ url, pid }: Watched): void {
  let running = true;
  let gaps: Gaps = { gapMs: 0, computedMs: 0 };
  let last = { at: performance.now(), computed: computedMs(pid) };
  parentPort?.once('message', () => {
    running = false;
  });
  const ask = () => {
    const asking = request(`${url}/health`, (response) => {
      response.resume().once('end', () => {
        const now = { at: performance.now(), computed: computedMs(pid) };
        gaps = {
          gapMs: Math.max(gaps.gapMs, now.at - last.at),
          computedMs: Math.max(gaps.computedMs, now.computed - last.computed),
        };
        last = now;
        if (running) setTimeout(ask, ASK_EVERY_MS);
        else {
          parentPort?.postMessage(gaps);
          parentPort?.close();
        }
      });
    });
    asking.on('error', () => setTimeout(ask, ASK_EVERY_MS)).end();
  };
  ask();
  setTimeout(() => {
    gaps = { gapMs: 0, computedMs: 0 };
    last = { at: performance.now(), computed: computedMs(pid) };
    parentPort?.postMessage('ready');
  }, 300);
}

/** Returns the CPU time of the main thread of a process so far, in ms. */
function computedMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** Returns a chat request with more fields, which are JSON text. */
function chat(fields: string, content = '"hi"'): HostileBody['body'] {
  const more = fields && `,${fields}`;
  return `{"model":"tiny","max_tokens":1,"messages":[{"role":"user","content":${content}}]${more}}`;
}

function list(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join();
}

/** Returns a text of `bytes` bytes. */
function fill(unit: string, bytes: number): string {
  return unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
}

function nest(open: string, inner: string, close: string, depth: number): string {
  return open.repeat(depth) + inner + close.repeat(depth);
}

/** A little less than the largest accepted body. */
const FULL = LIMIT - 500;

const BODIES: Record<string, () => Omit<HostileBody, 'name'>> = {
  'an ordinary chat': () => ({ body: chat('') }),
  '1.6 M unknown fields': () => ({ body: chat(list(1_600_000, (index) => `"${index.toString(36)}":0`)) }),
  '31 MB of {}': () => ({ body: chat(`"metadata":[${list(10_400_000, () => '{}')}]`) }),
  '31 MB of {} as messages': () => ({ body: `{"model":"tiny","messages":[${list(10_400_000, () => '{}')}]}` }),
  'logit_bias of 2.6 M keys': () => ({
    body: chat(`"logit_bias":{${list(2_600_000, (index) => `"${index}":1`)}}`),
  }),
  'half a surrogate pair in 30 MB of text': () => ({ body: chat('', `"\\ud83d${fill('x', 30e6)}"`) }),
  'half a surrogate pair among 7 M texts': () => ({
    body: chat(`"metadata":["\\ud83d",${list(7_500_000, () => '"x"')}]`),
  }),
  '30 MB of halves of surrogate pairs': () => ({ body: chat('', `"${fill('\\ud83d', 30e6)}"`) }),
  'nested 4,000 deep': () => ({ body: chat(`"chat_template_kwargs":{"a":${nest('[', '', ']', 4_000)}}`) }),
  'nested 15 M deep': () => ({ body: chat(`"metadata":${nest('[', '', ']', 15_000_000)}`) }),
  'nested 60 deep': () => ({ body: chat(`"metadata":${nest('{"a":', '1', '}', 60)}`) }),
  '49,000 values: unknown fields': () => ({ body: chat(list(24_000, (index) => `"field${index}":"x"`)) }),
  '49,000 values: objects of one key each': () => ({
    body: chat(`"metadata":[${list(16_000, (index) => `{"key${index}":"x"}`)}]`),
  }),
  '49,000 values: long keys': () => ({
    body: chat(`"metadata":{${list(24_000, (index) => `"${String(index).padStart(250, 'k')}":"x"`)}}`),
  }),
  '49,000 values: keys of 600 bytes': () => ({
    body: chat(`"metadata":{${list(24_000, (index) => `"${String(index).padStart(600, 'k')}":"x"`)}}`),
  }),
  '49,000 values: logit_bias': () => ({
    body: chat(`"logit_bias":{${list(24_000, (index) => `"${index}":1`)}}`),
  }),
  '49,000 values: messages': () => ({
    body: `{"model":"tiny","messages":[${list(9_700, () => '{"role":"user","content":"x"}')}]}`,
  }),
  '49,000 values: content parts': () => ({ body: chat('', `[${list(9_700, () => '{"type":"text","text":"x"}')}]`) }),
  '49,000 values: a tool': () => ({
    body: chat(
      `"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{${list(
        12_000,
        (index) => `"field${index}":{"type":"string"}`,
      )}}}}}]`,
    ),
  }),
  '49,000 values: template arguments': () => ({
    body: chat(`"chat_template_kwargs":{${list(24_000, (index) => `"field${index}":"x"`)}}`),
  }),
  '190,000 numbers: a prompt of tokens': () => ({
    path: '/v1/completions',
    body: `{"model":"tiny","max_tokens":1,"prompt":[${list(190_000, () => '100')}]}`,
  }),
  '190,000 numbers: long ones': () => ({
    body: chat(`"metadata":[${list(190_000, () => '0.1234567890123456789e-11')}]`),
  }),
  '32 MB of one number': () => ({ body: chat(`"metadata":${fill('1', FULL)}`) }),
  '32 MB of spaces': () => ({ body: chat(`"metadata":${fill(' ', FULL)}1`) }),
  '32 MB of one text': () => ({ body: chat(`"user":"${fill('x', FULL)}"`) }),
  '32 MB of Chinese': () => ({ body: chat(`"user":"${fill('漢', FULL)}"`) }),
  '32 MB of é': () => ({ body: chat(`"user":"${fill('é', FULL)}"`) }),
  '32 MB of escapes': () => ({ body: chat(`"user":"${fill('\\n', FULL)}"`) }),
  '32 MB of \\u0041': () => ({ body: chat(`"user":"${fill('\\u0041', FULL)}"`) }),
  '32 MB of \\ud83d': () => ({ body: chat(`"user":"${fill('\\ud83d', FULL)}"`) }),
  '32 MB of text to answer': () => ({ body: chat('', `"${fill('hello ', FULL)}"`) }),
  '32 MB of text to answer, in Chinese': () => ({ body: chat('', `"${fill('漢', FULL)}"`) }),
  '1 MB in chunks of one byte': () => ({ body: [...String(chat(`"user":"${fill('x', 1e6)}"`))] }),
};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (isMainThread) await measureAll();
else watchHealth(workerData as Watched);
