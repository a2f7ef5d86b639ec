import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../../kit/dice.ts';
import { readEvents, readText, send, toRefusal } from '../../kit/http.ts';
import { ask, messageOf, type Pause, type Reply } from './asking.ts';
import type { Question } from './questions.ts';
import type { Outcome } from './tally.ts';

/** The data that clients share. */
export interface Scene {
  url: string;
  questions: Question[];
  /** The reply of each question without faults, by `keyOf`. */
  expected: Map<string, string>;
  /** The embeddings and rankings of a server without faults. */
  vectors: { question: Question; numbers: number[] }[];
  notePauses: (pauses: Pause[]) => void;
}

/** A kind of client. One run is one request, or a few related requests. */
export interface Client {
  name: string;
  weight: number;
  run(scene: Scene, dice: Dice): Promise<Outcome>;
}

/** Returns a text that is equal for equal questions. */
export function keyOf({ path, body }: Question): string {
  return path + JSON.stringify(body);
}

/** Compares a reply with the reply without faults. */
export function judge(reply: Reply, expected: string | undefined): Outcome {
  if (reply.kind === 'broken') return { kind: 'broken', detail: reply.reason };
  if (reply.kind === 'refused') return { kind: 'refused', refusal: reply.refusal, expected: false };
  if (reply.gist === expected) return { kind: 'right' };
  return { kind: 'wrong', detail: `${reply.gist.slice(0, 300)} instead of ${expected?.slice(0, 300)}` };
}

export const CLIENTS: Client[] = [
  {
    name: 'stream',
    weight: 10,
    async run(scene, dice) {
      const question = dice.pick(scene.questions);
      const reply = await ask(scene.url, question, { stream: true });
      if (reply.kind === 'whole') scene.notePauses(reply.pauses);
      return judge(reply, scene.expected.get(keyOf(question)));
    },
  },
  {
    name: 'whole reply',
    weight: 6,
    async run(scene, dice) {
      const question = dice.pick(scene.questions);
      return judge(await ask(scene.url, question, { stream: false }), scene.expected.get(keyOf(question)));
    },
  },
  {
    name: 'slow reader',
    weight: 1,
    async run(scene, dice) {
      const question = dice.pick(scene.questions);
      const reply = await ask(scene.url, question, { stream: true, wait: () => sleep(dice.below(20)) });
      return judge(reply, scene.expected.get(keyOf(question)));
    },
  },
  { name: 'stopped reader', weight: 1, run: (scene, dice) => leave(scene, dice, 3000 + dice.below(5000)) },
  { name: 'abort', weight: 4, run: (scene, dice) => leave(scene, dice, 0) },
  { name: 'abort before the reply', weight: 2, run: leaveEarly },
  { name: 'vectors', weight: 3, run: askForVectors },
  { name: 'tokens', weight: 2, run: askForTokens },
  { name: 'malformed body', weight: 3, run: sendMalformed },
  { name: 'oversize body', weight: 0.5, run: sendOversize },
  {
    name: 'unknown model',
    weight: 1,
    run: ({ url }) => expectRefusal(url, { path: '/v1/embeddings', body: '{"model":"nobody","input":"x"}' }, 404),
  },
  { name: 'half a request', weight: 1, run: sendHalf },
];

/** Reads some events, stops reading for `stopMs`, then closes the connection. */
async function leave({ url, questions }: Scene, dice: Dice, stopMs: number): Promise<Outcome> {
  const { path, body } = dice.pick(questions);
  const left = new AbortController();
  try {
    const reply = await send(url, { path, body: { ...body, stream: true } }, left.signal);
    if (reply.statusCode !== 200)
      return { kind: 'refused', refusal: toRefusal(reply.statusCode ?? 0, await readText(reply)), expected: false };
    let wanted = 1 + dice.below(40);
    for await (const _ of readEvents(reply)) {
      wanted -= 1;
      if (wanted === 0) break;
    }
    await sleep(stopMs);
    reply.destroy();
    return { kind: 'left' };
  } catch (error) {
    return { kind: 'broken', detail: messageOf(error) };
  } finally {
    left.abort();
  }
}

async function leaveEarly({ url, questions }: Scene, dice: Dice): Promise<Outcome> {
  const { path, body } = dice.pick(questions);
  const left = new AbortController();
  const timer = setTimeout(() => left.abort(), dice.below(50));
  try {
    await readText(await send(url, { path, body }, left.signal));
  } catch (error) {
    if (!left.signal.aborted) return { kind: 'broken', detail: messageOf(error) };
  } finally {
    clearTimeout(timer);
  }
  return { kind: 'left' };
}

async function askForVectors({ url, vectors }: Scene, dice: Dice): Promise<Outcome> {
  const { question, numbers } = dice.pick(vectors);
  const found = await fetchNumbers(url, question);
  if ('kind' in found) return found;
  // Vectors differ a little with their batch because of rounding.
  const near =
    found.length === numbers.length && found.every((number, at) => Math.abs(number - (numbers[at] ?? 0)) < 1e-3);
  return near ? { kind: 'right' } : { kind: 'wrong', detail: `other numbers for ${keyOf(question)}` };
}

/** Returns the numbers of an embedding or of a ranking, in order; or the outcome if the request failed. */
export async function fetchNumbers(url: string, { path, body }: Question): Promise<number[] | Outcome> {
  try {
    const reply = await send(url, { path, body });
    const text = await readText(reply);
    if (reply.statusCode !== 200)
      return { kind: 'refused', refusal: toRefusal(reply.statusCode ?? 0, text), expected: false };
    const { data, results } = JSON.parse(text) as {
      data?: { embedding: number[] }[];
      results?: { index: number; relevance_score: number }[];
    };
    return [
      ...(data ?? []).flatMap(({ embedding }) => embedding),
      ...(results ?? []).toSorted((a, b) => a.index - b.index).map(({ relevance_score }) => relevance_score),
    ];
  } catch (error) {
    return { kind: 'broken', detail: messageOf(error) };
  }
}

async function askForTokens({ url }: Scene, dice: Dice): Promise<Outcome> {
  const text = `${dice.pick(['hello world', 'naïve 漢字', '😀 the and'])} ${dice.below(1000)}`;
  try {
    const tokenized = await send(url, { path: '/v1/tokenize', body: { model: 'tiny', content: text } });
    const answer = await readText(tokenized);
    if (tokenized.statusCode !== 200)
      return { kind: 'refused', refusal: toRefusal(tokenized.statusCode ?? 0, answer), expected: false };
    const { tokens } = JSON.parse(answer) as { tokens: number[] };
    const back = await send(url, { path: '/v1/detokenize', body: { model: 'tiny', tokens } });
    const found = await readText(back);
    if (back.statusCode !== 200)
      return { kind: 'refused', refusal: toRefusal(back.statusCode ?? 0, found), expected: false };
    const right = (JSON.parse(found) as { content: string }).content === text;
    return right ? { kind: 'right' } : { kind: 'wrong', detail: `${found} for the tokens of ${text}` };
  } catch (error) {
    return { kind: 'broken', detail: messageOf(error) };
  }
}

function sendMalformed({ url }: Scene, dice: Dice): Promise<Outcome> {
  const path = dice.pick(['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/rerank']);
  const body = dice.pick([
    '',
    '{',
    'null',
    '[]',
    '{"model":"tiny"}',
    '{"model":"tiny","messages":"x","prompt":{},"input":{},"query":1,"documents":1}',
    `{"model":"tiny","x":${'['.repeat(3000)}${']'.repeat(3000)}}`,
    '{"model":"tiny","messages":[{"role":"nobody"}],"prompt":null,"input":[],"query":"","documents":[]}',
  ]);
  return expectRefusal(url, { path, body }, 400);
}

async function sendOversize({ url }: Scene, dice: Dice): Promise<Outcome> {
  const bytes = 33 * 1024 * 1024 + dice.below(1024 * 1024);
  return expectRefusal(url, { path: '/v1/chat/completions', body: `{"model":"${'x'.repeat(bytes)}"}` }, 413);
}

/** Sends an invalid request and checks that it is refused with this status and a code. */
async function expectRefusal(url: string, sent: { path: string; body: string }, status: number): Promise<Outcome> {
  try {
    const reply = await send(url, { method: 'POST', ...sent });
    const refusal = toRefusal(reply.statusCode ?? 0, await readText(reply));
    return { kind: 'refused', refusal, expected: refusal.ours && refusal.status === status };
  } catch (error) {
    // The server may close the connection while the client still sends a body that is too large.
    if (status === 413 && ['EPIPE', 'ECONNRESET'].includes(messageOf(error))) return { kind: 'left' };
    return { kind: 'broken', detail: messageOf(error) };
  }
}

/** Opens a connection, sends a part of a request, waits, and closes the connection. */
async function sendHalf({ url }: Scene, dice: Dice): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"mod`;
  socket.write(head.slice(0, 1 + dice.below(head.length)));
  await sleep(dice.below(2000));
  socket.destroy();
  return { kind: 'left' };
}
