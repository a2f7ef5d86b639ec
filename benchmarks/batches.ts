import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import OpenAI, { toFile } from 'openai';
import { type ModelShape, writeModel } from '../test/kit/models/tiny-model.ts';
import { type RunningServer, startServer } from '../test/kit/servers/server.ts';
import { spread } from './statistics.ts';

/**
 * Measures what chats notice of other work: chats of one key, one after the other, alone, beside ordinary requests of
 * another key, and beside a batch of these requests.
 *
 * `npm run build && node dist/benchmarks/batches.js [--model tenth-billion] [--rounds 3] [--slots 4]`
 */
const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'tenth-billion' },
    rounds: { type: 'string', default: '3' },
    slots: { type: 'string', default: '4' },
  },
});

const KEYS = ['sk-chats', 'sk-work'];
const CHATS = 5;
const CHAT_TOKENS = 16;
/** The requests that are the other work, and how many of them are sent at once if they are no batch. */
const WORK = 400;
const WORK_AT_ONCE = 8;
const WORK_TOKENS = 48;

interface Noticed {
  firstTokenMs: number[];
  tokensPerSecond: number[];
}

const question = (index: number, tokens: number) => ({
  model: 'm',
  messages: [{ role: 'user' as const, content: `${index} ${'What is in the box on the table? '.repeat(12)}` }],
  max_tokens: tokens,
  seed: 1,
});

async function chat(client: OpenAI, noticed: Noticed, index: number): Promise<void> {
  const began = performance.now();
  let first = 0;
  let pieces = 0;
  for await (const { choices } of await client.chat.completions.create({
    ...question(index, CHAT_TOKENS),
    stream: true,
  })) {
    if (!choices[0]?.delta.content) continue;
    if (first === 0) first = performance.now();
    pieces += 1;
  }
  noticed.firstTokenMs.push(first - began);
  noticed.tokensPerSecond.push(((pieces - 1) * 1000) / (performance.now() - first));
}

/** Runs the chats, and returns what they notice. */
async function chats(client: OpenAI, noticed: Noticed): Promise<void> {
  for (let index = 0; index < CHATS; index++) await chat(client, noticed, 10_000 + index);
}

async function besideRequests(work: OpenAI, run: () => Promise<void>): Promise<number> {
  let ended = false;
  let done = 0;
  const worker = async (first: number) => {
    for (let index = first; !ended; index += WORK_AT_ONCE) {
      // On a busy machine some requests are refused.
      const reply = await work.chat.completions.create(question(index, WORK_TOKENS)).catch(() => null);
      if (reply && !ended) done += 1;
    }
  };
  const workers = Array.from({ length: WORK_AT_ONCE }, (_, first) => worker(first));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  done = 0;
  await run();
  ended = true;
  const during = done;
  await Promise.all(workers);
  return during;
}

async function besideBatch(work: OpenAI, run: () => Promise<void>): Promise<number> {
  const lines = Array.from({ length: WORK }, (_, index) =>
    JSON.stringify({
      custom_id: `${index}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: question(index, WORK_TOKENS),
    }),
  );
  const file = await work.files.create({ file: await toFile(Buffer.from(lines.join('\n')), 'x'), purpose: 'batch' });
  const endpoint = '/v1/chat/completions';
  const { id } = await work.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h' });
  const completed = async () => (await work.batches.retrieve(id)).request_counts?.completed ?? 0;
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const before = await completed();
  await run();
  const during = (await completed()) - before;
  await work.batches.cancel(id);
  while ((await work.batches.retrieve(id)).status !== 'cancelled')
    await new Promise((resolve) => setTimeout(resolve, 50));
  return during;
}

const folder = await mkdtemp(join(tmpdir(), 'paddock-batches-'));
let server: RunningServer | undefined;
try {
  writeModel(join(folder, 'm.gguf'), values.model as ModelShape);
  const flags = ['--models', folder, '--backend', 'cpu', '--slots', values.slots, '--ctx-len', '1024', '--no-cache'];
  server = await startServer([...flags, '--log-level', 'warn'], {
    PADDOCK_HOME: folder,
    PADDOCK_API_KEYS: KEYS.join(),
  });
  const [own, work] = KEYS.map((apiKey) => new OpenAI({ baseURL: `${server?.url}/v1`, apiKey, maxRetries: 0 }));
  if (!own || !work) throw new Error('there are two keys');
  const ways: [string, (run: () => Promise<void>) => Promise<number>][] = [
    ['alone', (run) => run().then(() => 0)],
    [`beside ${WORK_AT_ONCE} ordinary requests`, (run) => besideRequests(work, run)],
    ['beside a batch', (run) => besideBatch(work, run)],
  ];
  await chat(own, { firstTokenMs: [], tokensPerSecond: [] }, 0);
  const results = new Map(ways.map(([name]) => [name, { firstTokenMs: [], tokensPerSecond: [], done: 0, ms: 0 }]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, beside] of ways) {
      const result = results.get(name);
      if (!result) continue;
      result.done += await beside(async () => {
        const began = performance.now();
        await chats(own, result);
        result.ms += performance.now() - began;
      });
    }
  }
  for (const [name, { firstTokenMs, tokensPerSecond, done, ms }] of results) {
    const line = `first token ${spread(firstTokenMs)} ms, ${spread(tokensPerSecond, 1)} tokens/s`;
    process.stdout.write(`${name}: ${line}, ${((done * 60_000) / ms).toFixed(0)} other requests a minute\n`);
  }
} finally {
  await server?.stop();
  await rm(folder, { recursive: true });
}
