import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { NotFoundError, toFile } from 'openai';
import type { Batch } from 'openai/resources/batches';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type RunningServer, startServer } from '../kit/servers/server.ts';
import { until } from '../kit/until.ts';

const KEYS = ['sk-ada', 'sk-bob'];
const LINES = 24;

let home: string;
let server: RunningServer;
let ada: OpenAI;
let bob: OpenAI;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'paddock-batches-'));
  await serve();
});
afterAll(async () => {
  await server.stop();
  await rm(home, { recursive: true });
});

async function serve(more: string[] = []): Promise<void> {
  const flags = ['--models', inject('modelsFolder'), '--backend', 'cpu', '--threads', '1', '--slots', '2', ...more];
  server = await startServer([...flags, '--log-format', 'json'], { PADDOCK_HOME: home, PADDOCK_API_KEYS: KEYS.join() });
  const clientOf = (apiKey: string | undefined) => new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 });
  [ada, bob] = [clientOf(KEYS[0]), clientOf(KEYS[1])];
}

const line = (customId: string, body: object, url = '/v1/chat/completions') =>
  JSON.stringify({ custom_id: customId, method: 'POST', url, body });

const question = (content: string, model = 'tiny', max_tokens = 40) => ({
  model,
  messages: [{ role: 'user' as const, content }],
  temperature: 0,
  max_tokens,
});

const questions = (count: number) =>
  Array.from({ length: count }, (_, index) => line(`q${index}`, question(`number ${index}`))).join('\n');

const upload = async (client: OpenAI, text: string) =>
  client.files.create({ file: await toFile(Buffer.from(text), 'asked.jsonl'), purpose: 'batch' });

async function ended(client: OpenAI, { id }: Batch): Promise<Batch> {
  let batch = await client.batches.retrieve(id);
  await until(async () => {
    batch = await client.batches.retrieve(id);
    return ['completed', 'failed', 'expired', 'cancelled'].includes(batch.status);
  });
  return batch;
}

async function linesOf(client: OpenAI, id: string | undefined) {
  const text = await (await client.files.content(id ?? '')).text();
  return text
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each));
}

async function busySlots(): Promise<number> {
  const headers = { authorization: `Bearer ${KEYS[0]}` };
  const reply = await fetch(`${server.url}/slots?model=tiny`, { headers });
  const slots = (await reply.json()) as { is_processing: boolean }[];
  return slots.filter(({ is_processing }) => is_processing).length;
}

/** The lines of the access log about requests for completions. */
function asked(log: string) {
  return requestsIn(log).filter(({ route }) => route === '/v1/chat/completions');
}

function requestsIn(log: string): { route: string; status: number; error?: string; key: string }[] {
  const lines = log.split('\n').flatMap((each) => (each.startsWith('{') ? [JSON.parse(each)] : []));
  return lines.filter(({ msg }) => msg === 'request');
}

describe('the openai client', () => {
  it('uploads, lists, reads and deletes files, each key its own', async () => {
    const text = questions(2);
    const file = await ada.files.create({
      file: await toFile(Buffer.from(text), 'asked.jsonl'),
      purpose: 'batch',
      expires_after: { anchor: 'created_at', seconds: 3600 },
    });
    expect(file).toMatchObject({ object: 'file', filename: 'asked.jsonl', purpose: 'batch', bytes: text.length });
    expect((file.expires_at ?? 0) - file.created_at).toBe(3600);
    expect((await ada.files.list()).data.map(({ id }) => id)).toEqual([file.id]);
    expect((await bob.files.list()).data).toEqual([]);
    expect(await (await ada.files.content(file.id)).text()).toBe(text);
    const head = await fetch(`${server.url}/v1/files/${file.id}/content`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${KEYS[0]}` },
    });
    expect([head.status, await head.text()]).toEqual([200, '']);
    await expect(bob.files.content(file.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(bob.files.delete(file.id)).rejects.toBeInstanceOf(NotFoundError);
    const route = '/v1/files/{file_id}/content';
    await expect.poll(() => requestsIn(server.log()).filter((each) => each.route === route).length).toBe(3);
    expect(await ada.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
    await expect(ada.files.retrieve(file.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('gets the results of a batch, and of the lines that fail in a file of their own', async () => {
    const wrong = line('wrong', question('x', 'nobody'));
    const file = await upload(ada, `${questions(3)}\n${wrong}\n`);
    const made = await ada.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
      metadata: { night: 'first' },
    });
    expect(made).toMatchObject({ object: 'batch', status: 'validating', metadata: { night: 'first' } });
    await expect(bob.batches.retrieve(made.id)).rejects.toBeInstanceOf(NotFoundError);
    const batch = await ended(ada, made);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 4, completed: 3, failed: 1 } });
    const outputs = await linesOf(ada, batch.output_file_id);
    const whole = await ada.chat.completions.create(question('number 1'));
    const one = outputs.find(({ custom_id }) => custom_id === 'q1');
    expect(one).toMatchObject({ error: null, response: { status_code: 200, body: { object: 'chat.completion' } } });
    expect(one.response.body.choices[0].message.content).toBe(whole.choices[0]?.message.content);
    expect(await linesOf(ada, batch.error_file_id)).toMatchObject([
      { custom_id: 'wrong', response: { status_code: 404, body: { error: { code: 'model_not_found' } } } },
    ]);
    const listed = await ada.batches.list({ limit: 1 });
    expect(listed.data.map(({ id }) => id)).toEqual([made.id]);
  });

  it.each([
    ['/v1/completions', { model: 'tiny', prompt: 'once', max_tokens: 4 }, 'text_completion'],
    ['/v1/responses', { model: 'tiny', input: 'once', max_output_tokens: 4 }, 'response'],
    ['/v1/embeddings', { model: 'embed/mini', input: 'once' }, 'list'],
  ] as const)('asks the lines of a batch at %s', async (endpoint, body, object) => {
    const file = await upload(ada, line('a', body, endpoint));
    const batch = await ada.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h' });
    const { output_file_id } = await ended(ada, batch);
    expect(await linesOf(ada, output_file_id)).toMatchObject([{ response: { body: { object } } }]);
  });

  it('hears which lines of a file are wrong', async () => {
    const lines = [
      '{',
      line('a', question('x'), '/v1/completions'),
      line('b', question('x')),
      line('b', question('x')),
    ];
    const file = await upload(ada, lines.join('\n'));
    const made = await ada.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    const batch = await ended(ada, made);
    expect(batch.status).toBe('failed');
    expect(batch.errors?.data?.map(({ line: at, code }) => [at, code])).toEqual([
      [1, 'invalid_json_line'],
      [2, 'invalid_url'],
      [4, 'duplicate_custom_id'],
    ]);
  });

  it('cancels a batch, keeps the results so far, and is told which lines were not asked', async () => {
    const file = await upload(ada, questions(LINES));
    const made = await ada.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    await until(async () => ((await ada.batches.retrieve(made.id)).request_counts?.completed ?? 0) > 2);
    await expect(ada.files.delete(file.id)).rejects.toMatchObject({ status: 409, code: 'file_in_use' });
    expect((await ada.batches.cancel(made.id)).status).toBe('cancelling');
    const batch = await ended(ada, made);
    expect(batch.status).toBe('cancelled');
    const outputs = await linesOf(ada, batch.output_file_id);
    const unasked = await linesOf(ada, batch.error_file_id);
    expect(outputs.length + unasked.length).toBe(LINES);
    expect(unasked[0]).toMatchObject({ response: null, error: { code: 'batch_cancelled' } });
    expect(await ada.files.delete(file.id)).toMatchObject({ deleted: true });
  });

  it('loses no answer of a batch to a kill of the server: the next start goes on, and asks no answered line again', async () => {
    const logged = server.log().length;
    const file = await upload(ada, questions(LINES));
    const made = await ada.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    await until(async () => ((await ada.batches.retrieve(made.id)).request_counts?.completed ?? 0) > 4);
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
    const answeredBefore = asked(server.log().slice(logged)).filter(({ status }) => status === 200).length;
    await serve();
    const batch = await ended(ada, made);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: LINES, completed: LINES, failed: 0 } });
    const outputs = await linesOf(ada, batch.output_file_id);
    expect(new Set(outputs.map(({ custom_id }) => custom_id)).size).toBe(LINES);
    expect(outputs).toHaveLength(LINES);
    // A line may have been answered, but not written, when the server was killed: at most one in each slot.
    const answeredAfter = asked(server.log()).filter(({ status }) => status === 200).length;
    expect(answeredBefore).toBeGreaterThan(4);
    expect(answeredBefore + answeredAfter).toBeLessThanOrEqual(LINES + 2);
  });

  it('chats beside a batch: a chat gets the slot of a line, which is asked again', async () => {
    const logged = server.log().length;
    const gaveWay = () => asked(server.log().slice(logged)).filter(({ error }) => error === 'gave_way').length;
    const file = await upload(ada, questions(LINES).replaceAll('"max_tokens":40', '"max_tokens":200'));
    const made = await ada.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    // A chat that comes between two lines takes a free slot: so each chat waits until lines hold both.
    await until(async () => {
      const { status } = await ada.batches.retrieve(made.id);
      if (status === 'completed') return true;
      if ((await busySlots()) < 2) return false;
      const reply = await bob.chat.completions.create(question('hello', 'tiny', 2));
      expect(reply.choices).toHaveLength(1);
      return gaveWay() > 0;
    });
    expect(gaveWay()).toBeGreaterThan(0);
    const batch = await ended(ada, made);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: LINES } });
  });

  it('is told why there are no batches where the server keeps none', async () => {
    await server.stop();
    await serve(['--no-batches']);
    await expect(ada.batches.list()).rejects.toMatchObject({ status: 501, code: 'not_supported_here' });
    await expect(upload(ada, questions(1))).rejects.toMatchObject({ status: 501 });
  });
});
