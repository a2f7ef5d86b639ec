import type { ProgressResponse } from 'ollama';
import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { ApiError } from '../../../src/contract/errors.ts';
import type { PullEvent } from '../../../src/contract/models/puller.ts';
import { createContext, post, readJson, streamOf } from '../fixtures.ts';
import { readLines } from './fixtures.ts';

const PROGRESS: PullEvent = {
  status: 'downloading',
  file: 'tiny.gguf',
  completed: 1,
  total: 4,
  bytesPerSecond: 2,
  secondsLeft: null,
};
const ORDINARY_PULL: PullEvent[] = [
  { status: 'resolving' },
  PROGRESS,
  { status: 'waiting', reason: 'the line is dead' },
  { ...PROGRESS, completed: 4 },
  { status: 'verifying', file: 'tiny.gguf' },
  { status: 'done', model: 'tiny', alreadyHere: false },
];
const refusal = new ApiError({
  status: 403,
  type: 'permission_error',
  code: 'source_forbidden',
  param: 'model',
  message: 'No.',
});

function apiPulling(events: () => AsyncIterable<PullEvent> = () => streamOf(ORDINARY_PULL), pingIntervalMs = 10_000) {
  const sources: string[] = [];
  const puller = {
    pull(source: string) {
      sources.push(source);
      return events();
    },
  };
  return { api: createApi(createContext({ puller, pingIntervalMs }).context), sources };
}

async function* thenThrow(events: PullEvent[], error: unknown): AsyncGenerator<PullEvent> {
  yield* events;
  throw error;
}

const pull = (body: object = {}) => post('/api/pull', { model: 'hf.co/org/repo:Q8_0', ...body });

describe('POST /api/pull', () => {
  it("streams Ollama's statuses, ending with success", async () => {
    const { api, sources } = apiPulling();
    const reply = await api(pull());
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/x-ndjson' } });
    const lines = await readLines(reply);
    const { digest } = lines[1];
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const progress = (completed: number): ProgressResponse => ({
      status: `pulling ${digest.slice(7, 19)}`,
      digest,
      total: 4,
      completed,
    });
    expect(lines).toEqual([
      { status: 'pulling manifest' },
      progress(1),
      { status: 'waiting: the line is dead' },
      progress(4),
      { status: 'verifying sha256 digest' },
      { status: 'writing manifest' },
      { status: 'success' },
    ]);
    expect(sources).toEqual(['hf:org/repo:Q8_0']);
  });

  it('answers success alone with stream false', async () => {
    expect(await readJson(await apiPulling().api(pull({ stream: false })))).toEqual({ status: 'success' });
  });

  it.each([true, false])('has the status of what fails before a byte is fetched (stream %s)', async (stream) => {
    const { api } = apiPulling(() => thenThrow([{ status: 'resolving' }], refusal));
    const reply = await api(pull({ stream }));
    expect(reply.status).toBe(403);
    expect(await readJson(reply)).toEqual({ error: 'No.' });
  });

  it('tells a later error in a line', async () => {
    const lines = await readLines(await apiPulling(() => thenThrow([PROGRESS], refusal)).api(pull()));
    expect(lines.at(-1)).toEqual({ error: 'No.' });
  });

  it('repeats its last line while nothing happens', async () => {
    async function* slow() {
      yield PROGRESS;
      await new Promise((resolve) => setTimeout(resolve, 60));
      yield* ORDINARY_PULL;
    }
    const lines = await readLines(await apiPulling(slow, 20).api(pull()));
    expect(lines[2]).toEqual(lines[1]);
    expect(lines[1]).toMatchObject({ completed: 1 });
  });

  it('has nothing to do for a model that is here under this name', async () => {
    const { api, sources } = apiPulling();
    expect(await readLines(await api(pull({ model: 'tiny:latest' })))).toEqual([{ status: 'success' }]);
    expect(sources).toEqual([]);
  });

  it('says how to name a place where it gets a name alone', async () => {
    const { api, sources } = apiPulling();
    const reply = await api(pull({ model: 'llama3' }));
    expect(reply.status).toBe(400);
    expect((await readJson(reply)).error).toMatch(/'llama3' can not be pulled.*hf\.co\/org\/repo/);
    expect(sources).toEqual([]);
  });

  it('says 501 where nothing can be pulled', async () => {
    expect((await createApi(createContext().context)(pull())).status).toBe(501);
  });
});
