import { describe, expect, it } from 'vitest';
import { ready, tellHealth } from '../../../src/api/health/handler.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import { createContext, createFakeRunner, engineInfo, get, loadedModel, readJson } from '../fixtures.ts';

describe('health', () => {
  it('is ok before any model is loaded', async () => {
    const reply = tellHealth(createContext().context, get('/health'));
    expect(reply.status).toBe(200);
    expect(await readJson(reply)).toEqual({ status: 'ok', models: [], moving: [] });
  });

  it('says what each loaded model runs on, why not on a better backend, and how busy it is', async () => {
    const loaded = loadedModel({
      engine: { ...engineInfo, backend: 'wasm', device: 'wasm, 2 threads' },
      fallbackReasons: ['gpu: none was found', 'cpu: no binary'],
      busy: 1,
      waiting: 2,
    });
    const { context } = createContext({ runner: createFakeRunner(undefined, [loaded]) });
    expect(await readJson(tellHealth(context, get('/health')))).toEqual({
      status: 'ok',
      models: [
        {
          id: 'tiny',
          backend: 'wasm',
          device: 'wasm, 2 threads',
          fallback_reasons: ['gpu: none was found', 'cpu: no binary'],
          context_length: 512,
          slots: 4,
          memory: 3_000_000,
          busy: 1,
          waiting: 2,
        },
      ],
      moving: [],
    });
  });

  it('says how much memory there is for models, in bytes', async () => {
    const runner = { ...createFakeRunner(), memory: () => ({ available: 1000.5, held: 20 }) };
    const { context } = createContext({ runner });
    expect(await readJson(tellHealth(context, get('/health')))).toMatchObject({
      memory: { available: 1000, held: 20 },
    });
  });

  it('says which models are being loaded or unloaded', async () => {
    const moving = [
      { id: 'tiny', state: 'loading' as const, waiting: 3 },
      { id: 'big', state: 'unloading' as const, waiting: 0 },
    ];
    const { context } = createContext({ runner: createFakeRunner(undefined, [], {}, moving) });
    expect(await readJson(tellHealth(context, get('/health')))).toEqual({ status: 'ok', models: [], moving });
  });

  it('says no more to a stranger than that the server lives, once keys are set', async () => {
    const { context } = createContext({
      runner: createFakeRunner(undefined, [loadedModel()]),
      apiKeys: plainKeys(['sk-one']),
    });
    for (const headers of [{}, { authorization: 'Bearer sk-two' }, { 'x-api-key': '' }]) {
      const reply = tellHealth(context, get('/health', headers as Record<string, string>));
      expect(reply.status).toBe(200);
      expect(await readJson(reply)).toEqual({ status: 'ok' });
    }
    const known = tellHealth(context, get('/health', { authorization: 'Bearer sk-one' }));
    expect((await readJson(known)).models).toHaveLength(1);
  });
});

describe('readiness', () => {
  it('is a 200 until the server begins to leave, and then a 503 that says when to come back', async () => {
    const leaving = new AbortController();
    const { context } = createContext({ leaving: leaving.signal });
    const reply = ready(context);
    expect(reply.status).toBe(200);
    expect(await readJson(reply)).toEqual({ status: 'ready' });
    leaving.abort();
    expect(() => ready(context)).toThrow(
      expect.objectContaining({
        data: expect.objectContaining({ status: 503, code: 'shutting_down', headers: { 'retry-after': '5' } }),
      }),
    );
  });

  it('is always given where nothing ever leaves', () => {
    expect(ready(createContext().context).status).toBe(200);
  });
});
