import { describe, expect, it } from 'vitest';
import { health } from '../../../../src/core/api/health/handler.ts';
import { createContext, createFakeRunner, engineInfo, loadedModel, readJson } from '../fixtures.ts';

describe('health', () => {
  it('is ok before any model is loaded', async () => {
    const reply = health(createContext().context);
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
    expect(await readJson(health(context))).toEqual({
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

  it('says which models are being loaded or unloaded', async () => {
    const moving = [
      { id: 'tiny', state: 'loading' as const, waiting: 3 },
      { id: 'big', state: 'unloading' as const, waiting: 0 },
    ];
    const { context } = createContext({ runner: createFakeRunner(undefined, [], {}, moving) });
    expect(await readJson(health(context))).toEqual({ status: 'ok', models: [], moving });
  });
});
