import type { ApiKey } from '../../src/api/keys/key.ts';
import { beginRecord, type RequestRecord } from '../../src/api/record.ts';
import type { LoadedModel } from '../../src/contract/residency.ts';
import type { ScrapedState } from '../../src/telemetry/metrics.ts';

export function apiKey(more: Partial<ApiKey> = {}): ApiKey {
  return { name: 'alice', models: null, manages: false, priority: 0, limits: null, ...more };
}

/** The record of a chat that took a second: 30 tokens of prompt, 10 of them cached, 5 of reply after 200 ms. */
export function chatRecord(more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...beginRecord({ requestId: 'req-1', model: 'tiny' }, 'POST'),
    route: '/v1/chat/completions',
    status: 200,
    key: apiKey(),
    began: 1000,
    firstPiece: 1200,
    ended: 2000,
    queuedMs: 12.345,
    promptTokens: 30,
    cachedTokens: 10,
    completionTokens: 5,
    finish: 'stop',
    ...more,
  };
}

export function loaded(more: Partial<LoadedModel> = {}): LoadedModel {
  const engine: LoadedModel['engine'] = {
    backend: 'cpu',
    runtime: 'node-llama-cpp',
    device: 'cpu',
    contextLength: 100,
    trainedContextLength: 100,
    slots: 4,
    gpuLayers: 0,
    threads: 1,
  };
  return { id: 'tiny', engine, fallbackReasons: [], memory: 5000, busy: 2, waiting: 3, heldTokens: 100, ...more };
}

export function serverState(more: Partial<ScrapedState> = {}): ScrapedState {
  return { loaded: [loaded()], moving: [], ready: true, availableMemory: 9000, batchRequests: 0, ...more };
}
