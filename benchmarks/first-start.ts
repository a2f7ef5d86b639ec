import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { accepts } from '../test/kit/servers/accepts.ts';
import { freePort } from '../test/kit/servers/free-port.ts';
import { type EndpointSpec, parseEndpoint } from './compare/endpoint.ts';
import { usageOfTree } from './compare/process-tree.ts';
import { sendMessages } from './compare/request.ts';
import { spread, turns } from './statistics.ts';

/**
 * Measures a start up to pico's first token, in ms, in two ways: a client that connects as soon as the server listens and asks at once, and
 * a client that asks a server which has been up for 2 s. The second also reads the memory before its request. Each start has a new home.
 * Several commands take turns, so that two builds can be compared:
 *
 *     node dist/benchmarks/first-start.js --command 'before=cd ../before && npm start -- --port {port}' --command 'after=npm start -- --port {port}'
 */
const { values } = parseArgs({
  options: {
    command: { type: 'string', multiple: true, default: ['npm start=npm start -- --port {port}'] },
    rounds: { type: 'string', default: '5' },
  },
});

/** How long a server rests before the second client asks, in ms. */
const REST_MS = 2000;
const POLL_MS = 2;
const LIMIT_MS = 60_000;

/** One start. Times are in ms since the command was started, except `askedMs`. */
interface Start {
  listens: number;
  firstToken: number;
  /** From the request to the first token. */
  askedMs: number;
  /** The memory of all processes before the request, in MiB. */
  memory: number;
}

async function start({ at }: EndpointSpec, restMs: number): Promise<Start> {
  const port = await freePort();
  const home = mkdtempSync(join(tmpdir(), 'paddock-bench-'));
  const began = performance.now();
  const child = spawn(at.replaceAll('{port}', String(port)), {
    shell: true,
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, PADDOCK_HOME: home },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    while (!(await accepts(port))) {
      if (child.exitCode !== null) throw new Error(`the command ended with code ${child.exitCode}: ${at}`);
      if (performance.now() - began > LIMIT_MS) throw new Error(`the command does not listen on the port: ${at}`);
      await setTimeout(POLL_MS);
    }
    const listens = performance.now() - began;
    await setTimeout(restMs);
    const memory = restMs === 0 ? 0 : (usageOfTree(child.pid ?? 0)?.residentBytes ?? 0) / 2 ** 20;
    const asked = performance.now();
    const reply = await sendMessages(
      { base: `http://127.0.0.1:${port}/v1`, model: 'pico' },
      { maxTokens: 4, fields: {} },
      [{ role: 'user', content: 'What is Paddock?' }],
    );
    return { listens, firstToken: asked - began + reply.firstMs, askedMs: reply.firstMs, memory };
  } finally {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await ended;
    // The server may end a little later than npm.
    while (await accepts(port)) await setTimeout(POLL_MS);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

// The first call of fetch loads its code, which is no part of what is measured.
await fetch('http://127.0.0.1:9/').catch(() => {});
const commands = values.command.map(parseEndpoint);
const measured = commands.map(({ name }) => ({ name, atOnce: [] as Start[], rested: [] as Start[] }));
for (let round = 0; round < Number(values.rounds); round++) {
  for (const index of turns(commands.length, round)) {
    const [command, results] = [commands[index], measured[index]];
    if (!command || !results) continue;
    results.atOnce.push(await start(command, 0));
    results.rested.push(await start(command, REST_MS));
  }
}
process.stdout.write(
  [
    `${cpus()[0]?.model}, Node ${process.version}, ${values.rounds} rounds: median (range)`,
    '',
    '| | Listens, ms | First token, asked at once, ms | From a request after 2 s to the first token, ms | Memory before it, MiB |',
    '|---|---|---|---|---|',
    ...measured.map(({ name, atOnce, rested }) => {
      const listens = spread([...atOnce, ...rested].map((start) => start.listens));
      const first = spread(atOnce.map(({ firstToken }) => firstToken));
      const asked = spread(rested.map(({ askedMs }) => askedMs));
      return `| ${name} | ${listens} | ${first} | ${asked} | ${spread(rested.map(({ memory }) => memory))} |`;
    }),
    '',
  ].join('\n'),
);
