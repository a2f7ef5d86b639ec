import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createDice } from '../../kit/dice.ts';
import { nameRefusal, toRefusal } from '../../kit/http.ts';
import { writeTinyModel } from '../../kit/models/tiny-model.ts';
import { writeAudioProjector, writeVisionProjector } from '../../kit/models/tiny-projector.ts';
import { isAlive, residentMegabytes } from '../../kit/process.ts';
import { count } from '../../kit/terminal.ts';
import { messageOf } from '../chaos/asking.ts';
import { keepLog, startWorld, waitForModel } from '../chaos/world.ts';
import { type MediaFile, makeHostile, makeOriginals } from './hostile-media.ts';
import { mutateMedia } from './mutate-media.ts';

export interface MediaFuzzOptions {
  seed: number;
  /** The numbers of the mutants: `count` numbers from `first` on. */
  first: number;
  count: number;
  /** The server's `main.js`. */
  main: string;
  progress: (line: string) => void;
}

export interface MediaFuzzReport {
  /** The number of files by outcome. */
  outcomes: ReadonlyMap<string, number>;
  failures: string[];
  /** Figures, for people. */
  lines: string[];
}

const EYE = 'eyes/eye';
const EAR = 'ears/ear';
const AT_ONCE = 3;
/** The timeout of a request, in ms. */
const LONGEST_MS = 120_000;

/** A file to send, with the name of its case. */
interface Case extends MediaFile {
  repeat: string;
}

/** Sends hostile files and mutants to the models of a new server, beside a chat that must go on, and checks each reply. */
export async function fuzzMedia(options: MediaFuzzOptions): Promise<MediaFuzzReport> {
  await using world = await startWorld(options.main, ['--slots', '2', '--ctx-len', '512', '--log-level', 'info']);
  for (const folder of ['eyes', 'ears']) mkdirSync(join(world.models, folder));
  writeVisionProjector(join(world.models, 'eyes', 'mmproj-eye.gguf'));
  writeTinyModel(join(world.models, `${EYE}.gguf`));
  writeAudioProjector(join(world.models, 'ears', 'mmproj-ear.gguf'));
  writeTinyModel(join(world.models, `${EAR}.gguf`));
  const { url, pid } = world.server;
  await Promise.all([EYE, EAR].map((id) => waitForModel(url, id)));
  const outcomes = new Map<string, number>();
  const failures: string[] = [];
  const memoryBefore = residentMegabytes(pid);
  const start = performance.now();
  const neighbour = startNeighbour(url);

  const queue = await makeCases(options);
  let sent = 0;
  const work = async () => {
    for (let next = queue.shift(); next && isAlive(pid); next = queue.shift()) {
      const { name, failure } = await ask(url, next);
      count(outcomes, `${next.kind}: ${name}`);
      if (failure !== null) failures.push(`${next.repeat} (${next.name}): ${failure}`);
      sent += 1;
      if (sent % 50 === 0) options.progress(`${sent} sent, ${failures.length} failures`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const chats = await neighbour.stop();
  failures.push(...chats.failures);
  if (!isAlive(pid)) failures.push('the server died');
  const lines = [
    `${sent} files in ${Math.round((performance.now() - start) / 1000)} s`,
    `chats beside them: ${chats.count}, the longest ${Math.round(chats.longestMs)} ms`,
    `engines that died: ${[...world.server.log().matchAll(/EngineDied/g)].length}`,
    `resident memory of the server, MB: start ${memoryBefore}, end ${residentMegabytes(pid)}`,
  ];
  if (failures.length > 0) lines.push(`log: ${keepLog(world, `media-${options.seed}`)}`);
  return { outcomes, failures, lines };
}

/** Returns the hostile files and the mutants. The same seed and number always make the same mutant. */
async function makeCases({ seed, first, count: wanted }: MediaFuzzOptions): Promise<Case[]> {
  const [originals, hostile] = await Promise.all([makeOriginals(), makeHostile()]);
  const mutants = Array.from({ length: wanted }, (_, offset): Case => {
    const index = first + offset;
    const dice = createDice((Math.imul(seed, 1_000_003) + index) >>> 0);
    const original = dice.pick(originals);
    const { file, change } = mutateMedia(original.file, dice);
    return { ...original, file, name: `${original.name}, ${change}`, repeat: `--seed ${seed} --only ${index}` };
  });
  const all = hostile.map((file) => ({ ...file, repeat: 'hostile' }));
  return wanted === 1 ? mutants : [...all, ...mutants];
}

/** Sends a file: an image in a chat, a recording to be transcribed. */
async function ask(url: string, { kind, file }: MediaFile): Promise<{ name: string; failure: string | null }> {
  const timeout = AbortSignal.timeout(LONGEST_MS);
  try {
    const reply = await fetch(url + (kind === 'image' ? '/v1/chat/completions' : '/v1/audio/transcriptions'), {
      method: 'POST',
      signal: timeout,
      ...(kind === 'image' ? chatAbout(file) : { body: formOf(file) }),
    });
    const text = await reply.text();
    if (reply.status === 200) return { name: 'answered', failure: null };
    const refusal = toRefusal(reply.status, text);
    const isRight = reply.status === 400 && refusal.ours;
    return { name: nameRefusal(refusal), failure: isRight ? null : `${reply.status}: ${refusal.message}` };
  } catch (error) {
    if (timeout.aborted) return { name: 'hang', failure: `no end within ${LONGEST_MS / 1000} s` };
    return { name: 'broken connection', failure: messageOf(error) };
  }
}

function chatAbout(file: Buffer): RequestInit {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${file.toString('base64')}` } };
  const content = [{ type: 'text', text: 'What is it?' }, image];
  return {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: EYE, messages: [{ role: 'user', content }], max_tokens: 4 }),
  };
}

function formOf(file: Buffer): FormData {
  const form = new FormData();
  form.append('model', EAR);
  form.append('file', new Blob([new Uint8Array(file)]), 'speech.wav');
  return form;
}

/** Chats again and again with a model without media: each reply must be as the first one. */
function startNeighbour(url: string) {
  let stopped = false;
  const result = { count: 0, longestMs: 0, failures: [] as string[] };
  const body = JSON.stringify({
    model: 'tiny',
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: 16,
    temperature: 0,
  });
  const run = async () => {
    let expected: string | undefined;
    while (!stopped) {
      const began = performance.now();
      try {
        const headers = { 'content-type': 'application/json' };
        const reply = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
        const { choices } = (await reply.json()) as { choices?: { message: { content: string } }[] };
        const content = choices?.[0]?.message.content;
        expected ??= content;
        if (content === undefined || content !== expected)
          result.failures.push(`a chat beside the files: ${reply.status}, ${content}`);
      } catch (error) {
        result.failures.push(`a chat beside the files: ${messageOf(error)}`);
        return;
      }
      result.count += 1;
      result.longestMs = Math.max(result.longestMs, performance.now() - began);
    }
  };
  const running = run();
  return {
    async stop() {
      stopped = true;
      await running;
      return result;
    },
  };
}
