import { openAsBlob } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wllama } from '@wllama/wllama/esm/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// The built files are used, because the inner workers load scripts of the build.
import { installWebGlobals } from '../../dist/src/engine/wasm/node/globals.js';
import { toLocalUrl } from '../../dist/src/engine/wasm/node/local-url.js';
import { LABEL_DECISIONS } from '../../src/contract/models/model.ts';
import { loadParams } from '../../src/engine/wasm/load-params.ts';
import { compileRuntime } from '../../src/engine/wasm/node/runtime.ts';
import { silentLog } from '../kit/log.ts';
import { float32, text } from '../kit/models/gguf-writer.ts';
import { writeTinyModel } from '../kit/models/tiny-model.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';
import { postJson } from './target.ts';

// A model that is made for decisions has a template of its own, and answers with a label. wllama has llama.cpp's own code for such models,
// so each answer of Paddock is compared with the one of the peer for the same file.

const TEMPLATE = `{% if state is string %}{{ state }}{% else %}{{ state | tojson }}{% endif %}
{% if questions %}{% for question in questions %}{{ question.id }}{{ question.options | length }} {% endfor %}{% endif %}
{{ type }} {{ instructions }}
{% for option in options %}{{ option.label }}{{ option.key }}{% if option.description %}: {{ option.description }}{% endif %}
{% endfor %}Answer: `;
/** The engines round differently, and a model of random weights makes much of it. */
const ROUNDING = 0.02;
const TEMPERATURES = { noul: 1.5, 'choice.3_5': 0.8, 'choice.small': 0.7, score: 2 };

const state = { message: 'Charged twice. Fix it now!', amount: 12, again: ['b', 'a'] };
const questions = {
  urgent: { type: 'noul', instructions: 'An answer today?', criteria: { true: 'It costs money', false: null } },
  team: { type: 'choice', instructions: 'Who?', criteria: { billing: 'Payments', bug: null, other: 'All else' } },
  anger: { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] },
};

let folder: string;
let servers: RunningServer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-decisions-'));
  for (const type of LABEL_DECISIONS) {
    const temperatures = Object.entries(TEMPERATURES).map(([name, value]) => [
      `qwen2.decision.temperature.${name}`,
      float32(value),
    ]);
    writeTinyModel(join(folder, `${type}.gguf`), {
      entries: {
        'qwen2.decision.type': text(type),
        'tokenizer.chat_template.systemone': text(TEMPLATE),
        ...Object.fromEntries(temperatures),
      },
    });
  }
  servers = await Promise.all(
    ['cpu', 'wasm'].map((backend) =>
      startServer(['--models', folder, '--backend', backend, '--threads', '1'], { PADDOCK_LOG_LEVEL: 'warn' }),
    ),
  );
  installWebGlobals();
  // Threads start several times faster once this process has compiled the build.
  await compileRuntime();
});
afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop()));
  await rm(folder, { recursive: true });
});

/** What Paddock uses of wllama here alone. */
interface Peer {
  createSystemOne(request: { state: unknown; questions: unknown }): Promise<{ answers: Record<string, unknown> }>;
}

/** llama.cpp's own answers, through wllama. */
async function peerAnswers(type: string) {
  const { resolve } = createRequire(import.meta.url);
  const wasm = toLocalUrl(resolve('@wllama/wllama/esm/wasm/wllama.wasm'));
  const logger = { ...silentLog, log: () => {} };
  const wllama = new Wllama({ default: wasm }, { logger, cacheManager: {}, modelManager: {} });
  wllama.setCompat({
    worker: { code: await readFile(resolve('@wllama/wllama-compat/wasm/wllama.js'), 'utf8') },
    wasm: toLocalUrl(resolve('@wllama/wllama-compat/wasm/wllama.wasm')),
  });
  try {
    const plan = { kind: 'chat', contextLength: 1024, threads: 1, batchSize: 64, gpuLayers: 0 } as const;
    const load = loadParams(plan, { passSize: 0, helpers: 0 });
    const file = await openAsBlob(join(folder, `${type}.gguf`));
    // With one slot, wllama never answers a request of several questions.
    await wllama.loadModel([file], { ...load, n_parallel: 4, n_ctx: 4 * plan.contextLength });
    const { createSystemOne } = wllama as unknown as Peer;
    return (await createSystemOne.call(wllama, { state, questions })).answers;
  } finally {
    await wllama.exit();
  }
}

/** The numbers in an answer, by their places. */
function numbersIn(value: unknown, place = ''): [string, number][] {
  if (typeof value === 'number') return [[place, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => numbersIn(inner, `${place}/${key}`));
}

describe.each(LABEL_DECISIONS)('a decision model of the type %s', (type) => {
  // The peer knows this type since a later version.
  it.skipIf(type === 'pplx-decider')('answers as llama.cpp does, on both engines', async () => {
    const peer = new Map(numbersIn(await peerAnswers(type)));
    expect(peer.size).toBeGreaterThan(8);
    for (const { url } of servers) {
      const { status, body } = await postJson({ url, apiKey: '' }, '/v1/systemone', { model: type, state, questions });
      expect(status).toBe(200);
      const ours = new Map(numbersIn(body.answers));
      expect([...ours.keys()].sort()).toEqual([...peer.keys()].sort());
      for (const [place, number] of peer)
        expect(Math.abs((ours.get(place) ?? 9) - number), `${url} ${place}`).toBeLessThan(ROUNDING);
    }
  });

  it('gives the same numbers in the form of OpenAI', async () => {
    const [{ url = '' } = {}] = servers;
    const ask = (path: string, body: object) => postJson({ url, apiKey: '' }, path, { model: type, ...body });
    const given = await ask('/v1/systemone', { state: 'It broke.', questions: { team: questions.team } });
    const asked = await ask('/v1/decisions', {
      input: 'It broke.',
      questions: [
        {
          type: 'choice',
          name: 'team',
          instructions: 'Who?',
          choices: [
            { value: 'billing', description: 'Payments' },
            { value: 'bug' },
            { value: 'other', description: 'All else' },
          ],
        },
      ],
    });
    const probabilities = asked.body.answers[0].probabilities as { value: string; probability: number }[];
    const { team } = given.body.answers;
    for (const { value, probability } of probabilities) expect(probability).toBeCloseTo(team.probabilities[value], 3);
  });
});
