import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { writeEagle3Draft, writeEagle3Target } from '../kit/models/draft-heads/eagle3-model.ts';
import { writeMtpModel } from '../kit/models/draft-heads/mtp-model.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'paddock-draft-heads-server-'));
  const models = join(home, 'models');
  await mkdir(models);
  writeMtpModel(join(models, 'mtp.gguf'));
  writeEagle3Target(join(models, 'eagle3.gguf'));
  writeEagle3Draft(join(models, 'draft.gguf'), { lacks: 'token_embd.weight' });
  await writeFile(join(models, 'eagle3.model.json'), JSON.stringify({ settings: { draft_model: 'draft.gguf' } }));
});
afterAll(() => rm(home, { recursive: true }));

/** Starts a server that keeps copies of its slots, until the end of the test. */
async function serve(...flags: string[]): Promise<RunningServer> {
  const env = { PADDOCK_HOME: home, PADDOCK_NO_CACHE: 'false' };
  const server = await startServer(['--threads', '1', '--backend', 'cpu', ...flags], env);
  onTestFinished(async () => {
    await server.stop();
  });
  return server;
}

async function complete({ url }: RunningServer, model: string, prompt: string) {
  const body = JSON.stringify({ model, prompt, max_tokens: 40, temperature: 0, repeat_penalty: 1 });
  const reply = await fetch(`${url}/v1/completions`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  const { choices, timings, usage } = (await reply.json()) as {
    choices: [{ text: string }];
    timings: { predicted_n: number; draft_n?: number; draft_n_accepted?: number };
    usage: { prompt_tokens_details: { cached_tokens: number } };
  };
  return { text: choices[0].text, timings, cached: usage.prompt_tokens_details.cached_tokens };
}

const BEGINNING = 'some words before the question. '.repeat(5);

describe.each([
  ['that has an MTP layer', 'mtp', '"mtp":"used"', 'not used: every token is drawn by itself'],
  ['with an EAGLE-3 draft model', 'eagle3', 'draft model loaded', 'draft model not used'],
])('a server with a model %s', (_, model, used, unused) => {
  it('guesses with it, says so, and replies as without it, also after a restart', async () => {
    const plain = await serve('--one-by-one');
    const prompts = ['one two three', BEGINNING, `${BEGINNING}And what now?`];
    const texts: string[] = [];
    for (const prompt of prompts) texts.push((await complete(plain, model, prompt)).text);
    await plain.stop();
    expect(plain.log()).toContain(unused);

    const first = await serve();
    expect((await complete(first, model, prompts[0] ?? '')).text).toBe(texts[0]);
    // Whether a guess is worth its time is measured, and the machine may be busy.
    const accepted = async () => (await complete(first, model, prompts[0] ?? '')).timings.draft_n_accepted;
    await expect.poll(accepted, { timeout: 20_000 }).toBeGreaterThan(0);
    expect((await complete(first, model, prompts[1] ?? '')).text).toBe(texts[1]);
    expect(first.log()).toContain(used);
    await first.stop();

    const second = await serve();
    const goesOn = await complete(second, model, prompts[2] ?? '');
    expect(goesOn.text).toBe(texts[2]);
    expect(goesOn.cached).toBeGreaterThan(64);
  });
});

describe('a server on WebAssembly', () => {
  it('replies without the EAGLE-3 draft model, and says so', async () => {
    const server = await serve('--backend', 'wasm');
    expect((await complete(server, 'eagle3', 'one two three')).text).not.toBe('');
    expect(server.log()).toMatch(/WebAssembly runs one model alone.*draft model not used/);
  });
});
