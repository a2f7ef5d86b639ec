import { fork } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { usageOfTree } from './compare/process-tree.ts';
import { markdownTable } from './compare/table.ts';
import { median, percentile } from './statistics.ts';

/**
 * Measures the CPU time of the HTTP front: for `GET /v1/models` over some connections, and for many open streams that
 * get 50 tokens a second each from a scripted engine. `--url` requests the models of another server; `--pid` is its
 * process.
 */
const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '32' },
    streams: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    url: { type: 'string' },
    pid: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);

interface Served {
  port: number;
  pid: number;
}

interface Rate {
  perSecond: number;
  /** Processor time of the server for each answer or token, in µs. */
  cpuMicros: number;
  /** The share of a core that the server used. */
  load: number;
}

const child = values.url === undefined ? fork(new URL('./front-server.js', import.meta.url)) : null;
try {
  const served: Served = child
    ? { port: await new Promise<number>((resolve) => child.once('message', resolve)), pid: child.pid ?? 0 }
    : { port: Number(new URL(values.url ?? '').port), pid: Number(values.pid ?? 0) };
  const lists: Rate[] = [];
  const tokens: (Rate & { lateMs: number | null })[] = [];
  await askForModels(served, 1);
  for (let round = 0; round < rounds; round++) {
    lists.push(await askForModels(served, seconds));
    if (child) tokens.push(await readStreams(served, Number(values.streams)));
  }
  const row = (name: string, rates: Rate[], late = '-') => [
    name,
    median(rates.map(({ perSecond }) => perSecond)).toFixed(0),
    median(rates.map(({ cpuMicros }) => cpuMicros)).toFixed(1),
    `${(median(rates.map(({ load }) => load)) * 100).toFixed(0)}%`,
    late,
  ];
  const late = median(tokens.flatMap(({ lateMs }) => lateMs ?? []));
  const rows = [
    ['', 'a second', 'µs of CPU each', 'of a core', 'late, p99'],
    row(`GET /v1/models, ${values.connections} connections`, lists),
    ...(child ? [row(`tokens, ${values.streams} streams`, tokens, `${late.toFixed(0)} ms`)] : []),
  ];
  process.stdout.write(`${markdownTable(rows)}\n`);
} finally {
  child?.send('end');
}

/** Requests the models over all connections. Each connection sends the next request as soon as it has the answer. */
async function askForModels(served: Served, lastsSeconds: number): Promise<Rate> {
  const request = `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:${served.port}\r\n\r\n`;
  let answers = 0;
  const sockets = await openSockets(served.port, Number(values.connections));
  for (const socket of sockets) {
    let missing = 0;
    socket.on('data', (piece: Buffer) => {
      if (missing === 0) missing = answerBytes(piece);
      missing -= piece.length;
      if (missing > 0) return;
      missing = 0;
      answers += 1;
      socket.write(request);
    });
    socket.write(request);
  }
  const rate = await rateOf(served, () => sleep(lastsSeconds * 1000).then(() => answers));
  for (const socket of sockets) socket.destroy();
  return rate;
}

/** Returns the length of an answer with its headers, in bytes. The first piece has all headers. */
function answerBytes(piece: Buffer): number {
  const head = piece.toString('latin1', 0, piece.indexOf('\r\n\r\n') + 4);
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  if (!head.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(`no list of models:\n${head}`);
  return head.length + Number(length);
}

/** Opens all streams and reads them to their ends. */
async function readStreams(served: Served, count: number): Promise<Rate & { lateMs: number | null }> {
  const body = JSON.stringify({ model: 'script', stream: true, messages: [{ role: 'user', content: 'hello' }] });
  const request =
    `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:${served.port}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
  const late: number[] = [];
  const sockets = await openSockets(served.port, count);
  const read = () =>
    Promise.all(
      sockets.map(async (socket, index) => {
        let tokens = 0;
        socket.write(request);
        for await (const piece of socket as AsyncIterable<Buffer>) {
          tokens += countOf(piece, '"delta":{"content":" ');
          // Some streams are enough to measure the lateness.
          if (index % 50 === 0) late.push(...latenessOf(piece));
          if (piece.includes('[DONE]')) break;
        }
        return tokens;
      }),
    ).then((all) => all.reduce((sum, tokens) => sum + tokens, 0));
  return { ...(await rateOf(served, read)), lateMs: percentile(late, 0.99) };
}

async function rateOf({ pid }: Served, work: () => Promise<number>): Promise<Rate> {
  const [before, startedAt] = [usageOfTree(pid)?.cpuSeconds ?? 0, performance.now()];
  const count = await work();
  const lasted = (performance.now() - startedAt) / 1000;
  const cpuSeconds = (usageOfTree(pid)?.cpuSeconds ?? 0) - before;
  return { perSecond: count / lasted, cpuMicros: (cpuSeconds * 1e6) / count, load: cpuSeconds / lasted };
}

function openSockets(port: number, count: number): Promise<Socket[]> {
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket)).once(
            'error',
            reject,
          );
        }),
    ),
  );
}

function countOf(piece: Buffer, text: string): number {
  let count = 0;
  for (let at = piece.indexOf(text); at !== -1; at = piece.indexOf(text, at + text.length)) count += 1;
  return count;
}

/**
 * Returns how many ms ago each token of a piece was drawn. The text of a token has the last six digits of that time.
 */
function latenessOf(piece: Buffer): number[] {
  const now = Date.now() % 1_000_000;
  return [...piece.toString('latin1').matchAll(/"content":" (\d{6})"/g)].map(
    ([, drawn]) => (now - Number(drawn) + 1_000_000) % 1_000_000,
  );
}
