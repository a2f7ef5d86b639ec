import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { plainPng } from '../test/kit/files/media.ts';
import { writeVisionProjector } from '../test/kit/models/tiny-projector.ts';
import { type Endpoint, openEndpoint, parseEndpoint } from './compare/endpoint.ts';
import { findModel } from './compare/models.ts';
import { type Content, sendMessages } from './compare/request.ts';
import { median } from './statistics.ts';

/**
 * Compares how fast servers read images, with the 0.5B in Q8_0 and a projector of the size of CLIP's ViT-B/16 (196 tokens an
 * image): a new image, the same image again, and four images at once beside two streams of text.
 *
 * `node dist/benchmarks/media-servers.js [--peer 'NAME=COMMAND'] [--rounds 3]`; in a command, `{projector}` stands for the
 * projector's file, beside the placeholders of `npm run bench`. A peer named `slow...` reads single images only.
 */
const { values } = parseArgs({
  options: {
    peer: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '3' },
    folder: { type: 'string', default: '.cache/bench' },
  },
});

const MODEL = '0.5b-q8_0';
const EMBEDDING_LENGTH = 896;
const PADDOCK = 'Paddock=node dist/programs/paddock.js serve --models {folder} --port {port} --log-level warn';
/** The tokens of the text streams, which last longer than four images take. */
const STREAM_TOKENS = 160;
/** The streams have their first tokens by then, in ms. */
const HEAD_START_MS = 2000;

/** The figures of one round, in ms. Those of four images are absent for slow servers. */
interface Round {
  first: number;
  again: number;
  four?: number;
  longestPause?: number;
}

const { model, projector } = makeModel();
let images = 0;

/** Returns a message with an image that was not used before, or with the same one again. */
function look(question: string, isNew = true): Content {
  if (isNew) images += 1;
  const png = plainPng([images % 256, 99, images >> 8], 224);
  const url = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  return [
    { type: 'image_url', image_url: { url } },
    { type: 'text', text: question },
  ];
}

/** Puts the model and its projector into a folder of their own: with it, the model would be another one in other benchmarks. */
function makeModel() {
  const { file } = findModel(MODEL, values.folder);
  const folder = resolve(values.folder, 'with-images', 'see');
  mkdirSync(folder, { recursive: true });
  const made = { model: join(folder, 'see.gguf'), projector: join(folder, 'mmproj-see.gguf') };
  if (!existsSync(made.model)) symlinkSync(file, made.model);
  if (!existsSync(made.projector)) {
    writeVisionProjector(made.projector, { size: 'base', embeddingLength: EMBEDDING_LENGTH });
  }
  return made;
}

async function ask({ target }: Endpoint, content: Content, maxTokens = 1) {
  const fields = { temperature: 0 };
  return sendMessages(target, { maxTokens, fields }, [{ role: 'user', content }]);
}

async function measure(endpoint: Endpoint): Promise<Round> {
  const first = (await ask(endpoint, look('What is it?'))).firstMs;
  const again = (await ask(endpoint, look('And what else?', false))).firstMs;
  if (endpoint.name.startsWith('slow')) return { first, again };
  const streams = [1, 2].map((number) =>
    ask(endpoint, `Tell a long story, number ${number}-${images}.`, STREAM_TOKENS),
  );
  await sleep(HEAD_START_MS);
  const since = performance.now();
  await Promise.all([1, 2, 3, 4].map(() => ask(endpoint, look('What is it?'))));
  const four = performance.now() - since;
  const gaps = (await Promise.all(streams)).flatMap(({ gapsMs }) => gapsMs);
  return { first, again, four, longestPause: Math.max(...gaps) };
}

const endpoints: Endpoint[] = [];
try {
  for (const text of [PADDOCK, ...values.peer]) {
    endpoints.push(await openEndpoint(parseEndpoint(text.replaceAll('{projector}', projector)), model));
  }
  for (const endpoint of endpoints) await ask(endpoint, look('Begin.'));
  const rounds = new Map<string, Round[]>(endpoints.map(({ name }) => [name, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const endpoint of endpoints) rounds.get(endpoint.name)?.push(await measure(endpoint));
  }
  process.stdout.write(
    '| server | a new image, ms | the same again, ms | four at once, ms | longest pause of a stream, ms |\n',
  );
  process.stdout.write('|---|---|---|---|---|\n');
  for (const [name, each] of rounds) {
    const cells = (['first', 'again', 'four', 'longestPause'] as const).map((figure) => {
      const known = each.flatMap((round) => round[figure] ?? []);
      return known.length === 0 ? '-' : median(known).toFixed(0);
    });
    process.stdout.write(`| ${[name, ...cells].join(' | ')} |\n`);
  }
} finally {
  for (const endpoint of endpoints) await endpoint[Symbol.asyncDispose]();
}
