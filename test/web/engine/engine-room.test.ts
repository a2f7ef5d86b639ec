import { describe, expect, it } from 'vitest';
import { ApiError, insufficientMemory } from '../../../src/contract/errors.ts';
import type { JournaledEvent } from '../../../src/contract/events.ts';
import { withFields } from '../../../src/contract/log.ts';
import type { JournaledService } from '../../../src/engine/chat-service.ts';
import { WasmCrashed } from '../../../src/engine/wasm/crash.ts';
import { type Device, pickDevice } from '../../../web/engine/device.ts';
import type { LoadEngine } from '../../../web/engine/engine-memory.ts';
import { createEngineRoom } from '../../../web/engine/engine-room.ts';
import type { LoadedEngine } from '../../../web/engine/load-model.ts';
import type { BrowserModel, EngineState } from '../../../web/protocol.ts';
import { chatGeneration, modelCard } from '../../api/fixtures.ts';
import { eventually } from '../../kit/eventually.ts';
import { recordingLog, silentLog } from '../../kit/log.ts';

const never = new AbortController().signal;
const request = chatGeneration({ model: 'a' });
const device = pickDevice({ gpu: 'none', isolated: true, cores: 2 });

function model(id: string, contextLength = 512): BrowserModel {
  return {
    card: { ...modelCard(), id },
    source: { files: [], kind: 'chat', shape: emptyShape, tokens: { bos: '', eos: '', infill: null }, contextLength },
  };
}

const emptyShape = {
  fileBytes: 1,
  layers: 1,
  cachedPerToken: 1,
  embeddingLength: 1,
  feedForwardLength: 1,
  vocabularySize: 1,
  trainedContextLength: 512,
  poolsLast: false,
};

/** A room whose engines end each generation when they are told, and what happens in it, in order. */
function openRoom({ fails = {} as Record<string, Error>, maxWaiting = 8, on = device as Device } = {}) {
  const happened: string[] = [];
  const statesAtLoad: EngineState[] = [];
  const running: { emit: (event: JournaledEvent) => void; end: (error?: Error) => void; signal: AbortSignal }[] = [];
  const losses: number[] = [];
  const load: LoadEngine = async ({ card: { id } }, _, lost): Promise<LoadedEngine> => {
    happened.push(`load ${id}`);
    losses.push(lost);
    statesAtLoad.push(room.state());
    await Promise.resolve();
    if (fails[id]) throw fails[id];
    const service: JournaledService = {
      generate: (_, emit, signal) =>
        new Promise((resolve, reject) => {
          happened.push(`run ${id}`);
          running.push({ emit, signal, end: (error) => (error ? reject(error) : resolve()) });
        }),
      ask: async () => ({ text: id }) as never,
    };
    const info = {
      backend: 'wasm' as const,
      runtime: 'wllama' as const,
      device: 'WebAssembly (64-bit)',
      contextLength: 512,
      trainedContextLength: 512,
      slots: 1,
      gpuLayers: 0,
      threads: 2,
    };
    const dispose = async () => void happened.push(`unload ${id}`);
    return { service, info, memory: 1, device: on, [Symbol.asyncDispose]: dispose };
  };
  const room = createEngineRoom({ load, device, maxWaiting, log: silentLog });
  const generate = (of: BrowserModel, signal = never, log = silentLog) =>
    room.serviceOf(of, log).generate(request, () => {}, signal);
  const started = (count: number) => eventually(() => expect(running).toHaveLength(count));
  return { room, generate, started, running, happened, statesAtLoad, losses };
}

describe('the engine room', () => {
  it('loads a model at its first request and keeps it', async () => {
    const { generate, started, running, happened } = openRoom();
    const first = generate(model('a'));
    await started(1);
    running[0]?.end();
    await first;
    const second = generate(model('a'));
    await started(2);
    running[1]?.end();
    await second;
    expect(happened).toEqual(['load a', 'run a', 'run a']);
  });

  it('runs one request at a time, in the order in which they came, whatever their model', async () => {
    const { generate, started, running, happened, room } = openRoom();
    const all = [generate(model('a')), generate(model('b')), generate(model('a'))];
    await started(1);
    expect(room.state()).toMatchObject({
      loaded: [{ id: 'a', busy: 1, waiting: 1 }],
      moving: [{ id: 'b', state: 'queued', waiting: 1 }],
    });
    for (let done = 0; done < all.length; done++) {
      await started(done + 1);
      running[done]?.end();
    }
    await Promise.all(all);
    expect(happened).toEqual(['load a', 'run a', 'unload a', 'load b', 'run b', 'unload b', 'load a', 'run a']);
  });

  it('takes the same id with other files for another model', async () => {
    const { generate, started, running, happened } = openRoom();
    for (const contextLength of [512, 256]) {
      const count = running.length + 1;
      const generation = generate(model('a', contextLength));
      await started(count);
      running.at(-1)?.end();
      await generation;
    }
    expect(happened).toEqual(['load a', 'run a', 'unload a', 'load a', 'run a']);
  });

  it('tells what is on its way into memory', async () => {
    const { generate, started, running, room, statesAtLoad } = openRoom();
    const generation = generate(model('a'));
    await started(1);
    expect(statesAtLoad).toMatchObject([{ loaded: [], moving: [{ id: 'a', state: 'loading', waiting: 0 }], device }]);
    expect(room.state().moving).toEqual([]);
    running[0]?.end();
    await generation;
  });

  it('forgets a waiting request that is aborted', async () => {
    const { generate, started, running, happened, room } = openRoom();
    const first = generate(model('a'));
    await started(1);
    const abort = new AbortController();
    const second = generate(model('b'), abort.signal);
    abort.abort();
    await second;
    expect(room.state().moving).toEqual([]);
    running[0]?.end();
    await first;
    expect(happened).toEqual(['load a', 'run a']);
  });

  it('turns away who comes when as many wait as may', async () => {
    const { generate, started, running } = openRoom({ maxWaiting: 1 });
    const taken = [generate(model('a')), generate(model('a'))];
    await started(1);
    await expect(generate(model('a'))).rejects.toMatchObject({ data: { status: 503, code: 'overloaded' } });
    running[0]?.end();
    await started(2);
    running[1]?.end();
    await Promise.all(taken);
  });

  it('hands on why a model can not be loaded, and goes on with the next', async () => {
    const { room, generate, happened } = openRoom({ fails: { big: insufficientMemory('Too large.') } });
    await expect(generate(model('big'))).rejects.toThrow('Too large.');
    expect(room.state()).toMatchObject({ loaded: [], moving: [] });
    expect(await room.serviceOf(model('a'), silentLog).ask('detokenize', { tokens: [1] })).toEqual({ text: 'a' });
    expect(happened).toEqual(['load big', 'load a']);
  });

  it('loads a crashed engine anew, and says what happened', async () => {
    const { generate, started, running, happened } = openRoom();
    const lines: string[] = [];
    const first = generate(model('a'), never, withFields(recordingLog(lines), { requestId: 'req-1' }));
    const second = generate(model('a'));
    await started(1);
    running[0]?.end(new WasmCrashed('memory access out of bounds'));
    const error: unknown = await first.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ data: { status: 500, code: 'engine_crashed' } });
    expect(String(error)).not.toContain('out of bounds');
    expect(lines.at(-1)).toMatch(/^the engine crashed .*"req-1".*out of bounds/);
    await started(2);
    running[1]?.end();
    await second;
    expect(happened).toEqual(['load a', 'run a', 'unload a', 'load a', 'run a']);
  });

  it('has a reply continued that a lost graphics card ended, and tells the next load how often that happened', async () => {
    const limits = { maxBufferSize: 1, maxStorageBufferBindingSize: 1 };
    const on = pickDevice({ gpu: { limits, subgroups: true, streams: true }, isolated: true, cores: 2 });
    const { generate, started, running, losses } = openRoom({ on });
    for (const lost of [1, 2]) {
      const generation = generate(model('a'));
      await started(lost);
      running[lost - 1]?.end(new WasmCrashed('Device lost'));
      // The service worker retries after this code; see its takeover.
      await expect(generation).rejects.toMatchObject({ data: { status: 503, code: 'engine_lost' } });
    }
    const whole = generate(model('a'));
    await started(3);
    running[2]?.end();
    await whole;
    const last = generate(model('a', 256));
    await started(4);
    running[3]?.end();
    await last;
    expect(losses).toEqual([0, 1, 2, 0]);
  });
});
