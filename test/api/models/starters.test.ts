import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { estimateStarters } from '../../../src/api/models/starter-estimates.ts';
import type { MachineSpeed } from '../../../src/contract/machine-speed.ts';
import { findByName } from '../../../src/contract/models/find-model.ts';
import { findStarter, sourceOfStarter, startersLike } from '../../../src/contract/models/find-starter.ts';
import { STARTER_KINDS } from '../../../src/contract/models/starter.ts';
import { STARTERS } from '../../../src/contract/models/starters.ts';
import {
  createContext,
  createFakeRunner,
  engineInfo,
  get,
  loadedModel,
  modelCard,
  post,
  readJson,
} from '../fixtures.ts';

const GB = 1e9;
const LAPTOP: MachineSpeed = { bandwidth: 20 * GB, threads: 4, runtime: 'native', mediaRuntime: 'native' };
const free = (available: number, held = 0) => ({ available, held });

describe('the list of starter models', () => {
  it('has 10 to 15 models, one of each kind at least, with licences and sources on the hub', () => {
    expect(STARTERS.length).toBeGreaterThanOrEqual(10);
    expect(STARTERS.length).toBeLessThanOrEqual(15);
    expect(new Set(STARTERS.map(({ kind }) => kind))).toEqual(new Set(STARTER_KINDS));
    for (const starter of STARTERS) {
      expect(starter.repository).toMatch(/^[\w.-]+\/[\w.-]+$/);
      expect(starter.licence).not.toBe('');
      expect(starter.size).toBeGreaterThan(1e8);
    }
  });

  it('has every name once', () => {
    const names = STARTERS.flatMap(({ name, also = [] }) => [name, ...also]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    ['qwen3:4b', 'hf:Qwen/Qwen3-4B-GGUF:Q4_K_M'],
    [' Qwen3:4B ', 'hf:Qwen/Qwen3-4B-GGUF:Q4_K_M'],
    ['qwen3', 'hf:Qwen/Qwen3-8B-GGUF:Q4_K_M'],
    ['qwen3:latest', 'hf:Qwen/Qwen3-8B-GGUF:Q4_K_M'],
    ['qwen3:4b-q8_0', 'hf:Qwen/Qwen3-4B-GGUF:Q8_0'],
    ['nomic-embed-text:latest', 'hf:nomic-ai/nomic-embed-text-v1.5-GGUF:Q8_0'],
    ['qwen3:30b-a3b', 'hf:Qwen/Qwen3-30B-A3B-GGUF:Q4_K_M'],
  ])('finds %j', (name, source) => {
    const found = findStarter(name);
    expect(found && sourceOfStarter(found)).toBe(source);
  });

  it.each(['', 'llama3', 'qwen3:7b', 'Qwen/Qwen3-4B-GGUF', 'qwen3:4b-nonsense'])('does not find %j', (name) => {
    expect(findStarter(name)).toBeUndefined();
  });

  it('names models whose names begin alike', () => {
    expect(startersLike('qwen3:7b').map(({ name }) => name)).toContain('qwen3:8b');
    expect(startersLike('llama3').map(({ name }) => name)).toEqual(['llama3.2:3b']);
    expect(startersLike('x')).toEqual([]);
  });
});

describe('the estimate of starter models', () => {
  it('recommends the largest chat model that fits and writes as fast as people read', () => {
    const bestWith = (machine: MachineSpeed | null, available: number) =>
      estimateStarters(machine, free(available)).find(({ best }) => best)?.starter.name;
    expect(bestWith(LAPTOP, 5 * GB)).toBe('qwen3:4b');
    expect(bestWith(LAPTOP, 4 * GB)).toBe('llama3.2:3b');
    expect(bestWith(LAPTOP, 32 * GB)).toBe('qwen3:30b');
    expect(bestWith({ ...LAPTOP, bandwidth: 1 * GB, threads: 1 }, 32 * GB)).toBe('qwen3:0.6b');
    expect(bestWith(null, 9 * GB)).toBe('qwen3:8b');
    expect(bestWith(LAPTOP, 1 * GB)).toBeUndefined();
  });

  it('puts the recommended model first and those that do not fit last', () => {
    const estimates = estimateStarters(LAPTOP, free(5 * GB));
    expect(estimates[0]).toMatchObject({ best: true, starter: { name: 'qwen3:4b' } });
    const fits = estimates.map(({ fit }) => fit);
    expect(fits.indexOf('too large')).toBe(fits.lastIndexOf('fits') + 1);
    expect(estimates).toHaveLength(STARTERS.length);
  });

  it('tells a range of speeds, less on WebAssembly, and none for models that write no text', () => {
    const speedOf = (name: string, machine = LAPTOP) =>
      estimateStarters(machine, free(32 * GB)).find(({ starter }) => starter.name === name)?.speed;
    const native = speedOf('qwen3:4b');
    expect(native?.low).toBeLessThan(native?.high ?? 0);
    expect(speedOf('qwen3:4b', { ...LAPTOP, runtime: 'wasm' })?.high).toBeLessThan(native?.low ?? 0);
    expect(speedOf('qwen3:30b')?.low).toBeGreaterThan(speedOf('qwen3:8b')?.low ?? 0);
    expect(speedOf('nomic-embed-text')).toBeNull();
    expect(speedOf('qwen3guard:0.6b')).not.toBeNull();
  });

  it('knows that WebAssembly has 4 GiB, also for models with a projector on a server', () => {
    const inBrowser = estimateStarters({ ...LAPTOP, runtime: 'wasm' }, free(64 * GB));
    const large = inBrowser.filter(({ fit }) => fit === 'too large').map(({ starter }) => starter.name);
    expect(large).toEqual(expect.arrayContaining(['qwen3:8b', 'qwen3:30b', 'qwen2.5-coder:7b']));
    const seeing = (machine: MachineSpeed) =>
      estimateStarters(machine, free(64 * GB)).filter(({ starter }) => starter.projectorSize);
    const [native, onWasm] = [seeing(LAPTOP), seeing({ ...LAPTOP, mediaRuntime: 'wasm' })];
    for (const { memory } of onWasm) expect(memory).toBeLessThan(2 ** 32);
    for (const [index, { memory, speed }] of native.entries()) {
      expect(memory).toBeLessThan(onWasm[index]?.memory ?? 0);
      expect(speed?.low).toBeGreaterThan(onWasm[index]?.speed?.low ?? 0);
    }
  });

  it('says that a model fits once others leave memory', () => {
    const [first] = estimateStarters(LAPTOP, free(0, 4 * GB));
    expect(first).toMatchObject({ fit: 'full', best: false });
  });
});

describe('GET /v1/starters', () => {
  it('answers the models with what they take here, and which are pulled', async () => {
    const id = 'Qwen/Qwen3-0.6B-GGUF:Q8_0';
    const { context } = createContext({
      cards: [modelCard({ id })],
      machine: async () => LAPTOP,
      runner: { ...createFakeRunner(), memory: () => free(5 * GB) },
    });
    const { object, data } = await readJson(await createApi(context)(get('/v1/starters')));
    expect(object).toBe('list');
    expect(data[0]).toMatchObject({
      name: 'qwen3:4b',
      kind: 'chat',
      licence: 'Apache-2.0',
      source: 'hf:Qwen/Qwen3-4B-GGUF:Q4_K_M',
      size: 2_497_280_256,
      size_is_exact: true,
      fit: 'fits',
      best: true,
      pulled: false,
    });
    expect(data.filter(({ pulled }: { pulled: boolean }) => pulled)).toEqual([
      expect.objectContaining({ name: 'qwen3:0.6b' }),
    ]);
  });

  it('tells no speed where it was not measured, or where a GPU computes', async () => {
    const speeds = async (overrides: Parameters<typeof createContext>[0]) => {
      const { data } = await readJson(await createApi(createContext(overrides).context)(get('/v1/starters')));
      return new Set(data.map((one: { tokens_per_second: unknown }) => one.tokens_per_second));
    };
    expect(await speeds({})).toEqual(new Set([null]));
    const onGpu = loadedModel({ engine: { ...engineInfo, backend: 'gpu' } });
    const runner = { ...createFakeRunner(), loaded: () => [onGpu] };
    expect(await speeds({ machine: async () => LAPTOP, runner })).toEqual(new Set([null]));
  });
});

describe('a pulled starter model', () => {
  it('answers to its short name', async () => {
    const id = 'Qwen/Qwen3-0.6B-GGUF:Q8_0';
    const { context } = createContext({ cards: [modelCard({ id })] });
    expect(findByName(context.catalogue, 'qwen3:0.6b')?.id).toBe(id);
    const api = createApi(context);
    expect(await readJson(await api(get('/v1/models/qwen3:0.6b')))).toMatchObject({ id });
    expect((await api(post('/api/show', { model: 'qwen3:0.6b' }))).status).toBe(200);
    expect((await api(get('/v1/models/qwen3:1.7b'))).status).toBe(404);
  });
});
