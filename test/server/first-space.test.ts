import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeScoredModel } from '../kit/models/scored-model.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

let folder: string;
let server: RunningServer;
/** Has the model write nothing but this word. */
let always: Record<string, number>;
let prompt: number[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-space-'));
  const ids = writeScoredModel(join(folder, 'scored.gguf'));
  const idOf = (token: string) => ids.get(token) ?? -1;
  always = { [idOf('▁the')]: 100 };
  prompt = [idOf('▁hello'), idOf('▁world')];
  server = await startServer(['--models', folder, '--backend', 'cpu', '--threads', '1', '--slots', '1']);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const post = async (path: string, body: object): Promise<string> => {
  const common = { model: 'scored', max_tokens: 3, temperature: 0, logit_bias: always };
  const response = await fetch(`${server.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...common, ...body }),
  });
  return response.text();
};
const complete = async (body: object) => JSON.parse(await post('completions', body)).choices[0];
const streamed = async (body: object) => {
  const lines = (await post('completions', { ...body, stream: true })).split('\n\n');
  const chunks = lines.filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)));
  return chunks.map(({ choices: [choice] }) => choice?.text ?? '').join('');
};

describe('the space before the first word of a completion', () => {
  it.each([
    { of: 'a text', body: () => ({ prompt: 'hello world' }) },
    { of: 'tokens', body: () => ({ prompt }) },
    { of: 'a gap', body: () => ({ prompt: 'hello world', suffix: 'end' }) },
  ])('of $of is there, streamed or not, and with echo', async ({ body }) => {
    expect((await complete(body())).text).toBe(' the the the');
    expect(await streamed(body())).toBe(' the the the');
    expect((await complete({ ...body(), echo: true })).text).toBe('hello world the the the');
    expect(await streamed({ ...body(), echo: true })).toBe('hello world the the the');
  });

  it('is none behind a control token, where a new text begins', async () => {
    for (const before of ['<s>', 'hello<|im_end|>'])
      expect((await complete({ prompt: before })).text).toBe('the the the');
  });

  it('is in its log probabilities, as all others are', async () => {
    const { logprobs } = await complete({ prompt: 'hello world', logprobs: 1 });
    expect(logprobs).toMatchObject({ tokens: [' the', ' the', ' the'], text_offset: [0, 4, 8] });
  });

  it('is none before the reply of a chat', async () => {
    const messages = [{ role: 'user', content: 'hello' }];
    const { choices } = JSON.parse(await post('chat/completions', { messages }));
    expect(choices[0].message.content).toBe('the the the');
  });
});
