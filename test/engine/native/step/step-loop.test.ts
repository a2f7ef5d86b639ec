import { describe, expect, it } from 'vitest';
import { type AdapterSet, NO_ADAPTERS } from '../../../../src/engine/native/llama/adapters.ts';
import { CacheFull, PassAborted } from '../../../../src/engine/native/llama/context.ts';
import type { MediaRows } from '../../../../src/engine/native/llama/media/rows.ts';
import type { StepDriver } from '../../../../src/engine/native/step/step-driver.ts';
import { createStepLoop, type MakeRoom } from '../../../../src/engine/native/step/step-loop.ts';
import { planStep } from '../../../../src/engine/native/step/step-plan.ts';
import type { Steppable } from '../../../../src/engine/native/step/steppable.ts';
import { eventually } from '../../../kit/eventually.ts';

/**
 * Makes a generation with this number of prompt and reply tokens. It records its steps, and can be made to wait in one.
 */
function createGeneration(name: string, prompt: number, reply: number, log: string[], sequence = 0) {
  const cancel = new AbortController();
  let pending = prompt;
  let left = reply;
  let granted = 0;
  let finished: () => void = () => {};
  const whenFinished = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const generation: Steppable & {
    whenFinished: Promise<void>;
    cancel: () => void;
    hold?: Promise<void>;
    since?: number;
    awaited?: Promise<void>;
    rows?: MediaRows;
    onStep?: () => void;
  } = {
    whenFinished,
    adapters: NO_ADAPTERS,
    signal: cancel.signal,
    cancel: () => cancel.abort(),
    get demand() {
      return { prompt: pending, reply: pending > 0 ? 0 : 1, since: generation.since ?? 0 };
    },
    get finished() {
      return left === 0;
    },
    begin(promptTokens) {
      log.push(`${name} ${pending > 0 ? `prompt ${promptTokens}` : 'token'}`);
      generation.onStep?.();
      if (pending > 0 && promptTokens === 0) return null;
      granted = promptTokens;
      return { sequence, at: 0, tokens: [], logitsAt: [], ...(generation.rows && { rows: generation.rows }) };
    },
    async end() {
      await generation.hold;
      if (pending > 0) pending -= granted;
      else left -= 1;
      if (left === 0) finished();
    },
    async abandon() {
      log.push(`${name} abandoned`);
      left = 0;
      finished();
    },
    async fail(error) {
      log.push(`${name} failed: ${error}`);
      left = 0;
      finished();
    },
  };
  return generation;
}

/** Makes a loop whose batch has 8 tokens. */
function createLoop(driver: Partial<StepDriver> = {}, makeRoom?: MakeRoom) {
  return createStepLoop(
    {
      plan: (demands) => planStep(demands, { batchSize: 8, promptBudget: 2, now: 0 }),
      decode: async (parts) => parts.map(() => []),
      hold: () => () => {},
      ...driver,
    },
    makeRoom,
  );
}

describe('step loop', () => {
  it('steps a generation until it is finished, and no further', async () => {
    const log: string[] = [];
    const generation = createGeneration('a', 10, 2, log);
    createLoop().add(generation);
    await generation.whenFinished;
    await new Promise(setImmediate);
    expect(log).toEqual(['a prompt 8', 'a prompt 2', 'a token', 'a token']);
  });

  it('moves all generations forward together', async () => {
    const log: string[] = [];
    const loop = createLoop();
    const [a, b] = [createGeneration('a', 8, 2, log), createGeneration('b', 2, 1, log)];
    loop.add(a);
    loop.add(b);
    await Promise.all([a.whenFinished, b.whenFinished]);
    expect(log).toEqual(['a prompt 6', 'b prompt 2', 'a prompt 2', 'b token', 'a token', 'a token']);
  });

  it('begins no step before all have ended the last one', async () => {
    const log: string[] = [];
    const loop = createLoop();
    const [slow, quick] = [createGeneration('slow', 0, 2, log), createGeneration('quick', 0, 2, log)];
    let release: () => void = () => {};
    slow.hold = new Promise((resolve) => {
      release = resolve;
    });
    loop.add(slow);
    await eventually(() => expect(log).toEqual(['slow token']));
    loop.add(quick);
    await new Promise(setImmediate);
    expect(log).toEqual(['slow token']);
    release();
    await quick.whenFinished;
    expect(log).toEqual(['slow token', 'slow token', 'quick token', 'quick token']);
  });

  it('adds a generation that comes during a step at the next step', async () => {
    const log: string[] = [];
    const loop = createLoop();
    const [first, second] = [createGeneration('first', 0, 2, log), createGeneration('second', 0, 1, log)];
    first.onStep = () => {
      delete first.onStep;
      loop.add(second);
    };
    loop.add(first);
    await Promise.all([first.whenFinished, second.whenFinished]);
    expect(log).toEqual(['first token', 'first token', 'second token']);
  });

  it('leaves out a generation that waits for something else, and takes it in again', async () => {
    const log: string[] = [];
    const loop = createLoop();
    const [waits, goesOn] = [createGeneration('waits', 0, 1, log), createGeneration('goes on', 0, 2, log)];
    let arrive: () => void = () => {};
    waits.awaited = new Promise<void>((resolve) => {
      arrive = resolve;
    }).then(() => {
      delete waits.awaited;
    });
    loop.add(waits);
    loop.add(goesOn);
    await goesOn.whenFinished;
    expect(log).toEqual(['goes on token', 'goes on token']);
    arrive();
    await waits.whenFinished;
    expect(log).toEqual(['goes on token', 'goes on token', 'waits token']);
  });

  it('gives each part with rows a forward pass of its own, after that of the tokens', async () => {
    const log: string[] = [];
    const passes: number[][] = [];
    const loop = createLoop({
      async decode(parts) {
        passes.push(parts.map(({ sequence }) => sequence));
        return parts.map(() => []);
      },
    });
    const rows = { embeddings: new Float32Array(1), width: 1, offset: 0, grid: null, bothWays: false };
    const generations = Array.from({ length: 4 }, (_, index) => createGeneration(`${index}`, 0, 1, log, index));
    for (const generation of [generations[0], generations[2]]) if (generation) generation.rows = rows;
    for (const generation of generations) loop.add(generation);
    await Promise.all(generations.map(({ whenFinished }) => whenFinished));
    expect(passes).toEqual([[1, 3], [0], [2]]);
  });

  it('ends all that were in a forward pass that fails, and goes on with others', async () => {
    const log: string[] = [];
    let passes = 0;
    const loop = createLoop({
      async decode(parts) {
        passes += 1;
        if (passes === 1) throw new Error('no memory');
        return parts.map(() => []);
      },
    });
    const [a, b] = [createGeneration('a', 0, 1, log, 0), createGeneration('b', 0, 1, log, 1)];
    loop.add(a);
    loop.add(b);
    await Promise.all([a.whenFinished, b.whenFinished]);
    const c = createGeneration('c', 0, 1, log);
    loop.add(c);
    await c.whenFinished;
    expect(log).toEqual(['a token', 'b token', 'a failed: Error: no memory', 'b failed: Error: no memory', 'c token']);
  });

  it('aborts a forward pass as soon as all of its generations are cancelled, and goes on with others', async () => {
    const log: string[] = [];
    const [one, other] = ['one', 'other'].map((name) => createGeneration(name, 0, 1, log));
    let passes = 0;
    let begun = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const loop = createLoop({
      decode: (parts, signal) => {
        passes += 1;
        if (passes > 1) return Promise.resolve(parts.map(() => []));
        begun();
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new PassAborted('aborted')));
        });
      },
    });
    if (!one || !other) throw new Error('no generations');
    loop.add(one);
    loop.add(other);
    await started;
    one.cancel();
    await new Promise(setImmediate);
    expect(log.filter((line) => line.includes('abandoned'))).toEqual([]);
    other.cancel();
    await Promise.all([one.whenFinished, other.whenFinished]);
    expect(log.slice(-2)).toEqual(['one abandoned', 'other abandoned']);
    const next = createGeneration('next', 2, 1, log);
    loop.add(next);
    await next.whenFinished;
    expect(passes).toBe(3);
  });

  it('holds the model during a step, and ends the generations when it is gone', async () => {
    const log: string[] = [];
    const generation = createGeneration('a', 0, 1, log);
    const hold = () => {
      throw new Error('gone');
    };
    createLoop({ hold }).add(generation);
    await generation.whenFinished;
    expect(log).toEqual(['a token', 'a failed: Error: gone']);
  });

  it('also steps a generation whose prompt gets no share, so that it sees a cancel', async () => {
    const log: string[] = [];
    const loop = createLoop();
    const [a, b, c] = [
      createGeneration('a', 0, 1, log),
      createGeneration('b', 9, 1, log),
      createGeneration('c', 9, 1, log),
    ];
    for (const generation of [a, b, c]) loop.add(generation);
    await Promise.all([a.whenFinished, b.whenFinished, c.whenFinished]);
    expect(log.slice(0, 3)).toEqual(['a token', 'b prompt 2', 'c prompt 0']);
  });

  it('puts only generations with the same adapters into a pass, and tells its plan of the replies that wait', async () => {
    const log: string[] = [];
    const plans: [number, number][] = [];
    const loop = createLoop({
      plan: (demands, repliesElsewhere) => {
        plans.push([demands.length, repliesElsewhere]);
        return planStep(demands, { batchSize: 8, promptBudget: 2, now: 0, repliesWait: repliesElsewhere > 0 });
      },
      decode: async (parts, _, { key }) => {
        log.push(`${parts.length} with '${key}'`);
        return parts.map(() => []);
      },
    });
    const sets = ['', 'x', '', 'x'].map((key): AdapterSet => ({ key, adapters: [] }));
    const generations = ['a', 'b', 'c', 'd'].map((name, index) => {
      const prompt = name === 'd' ? 4 : 0;
      return Object.assign(createGeneration(name, prompt, 1, log, index), { adapters: sets[index] ?? NO_ADAPTERS });
    });
    for (const generation of generations) loop.add(generation);
    await Promise.all(generations.map(({ whenFinished }) => whenFinished));
    expect(log.slice(0, 3)).toEqual(['b token', 'd prompt 2', "2 with 'x'"]);
    expect(log.slice(-3)).toEqual(['a token', 'c token', "2 with ''"]);
    expect([plans[0], plans.at(-1)]).toEqual([
      [2, 2],
      [2, 0],
    ]);
  });

  it('fails only the generations of the pass that fails', async () => {
    const log: string[] = [];
    const loop = createLoop({
      decode: async (parts, _, { key }) => {
        if (key === 'x') throw new Error('no memory');
        return parts.map(() => []);
      },
    });
    const a = Object.assign(createGeneration('a', 0, 2, log), { adapters: { key: 'x', adapters: [] } });
    const b = createGeneration('b', 0, 2, log);
    loop.add(a);
    loop.add(b);
    await Promise.all([a.whenFinished, b.whenFinished]);
    expect(log.toSorted()).toEqual(['a failed: Error: no memory', 'a token', 'b token', 'b token']);
  });

  it('ends a cancelled generation while others have their turn', async () => {
    const log: string[] = [];
    const loop = createLoop({
      decode: async (parts, _, { key }) => {
        log.push(`pass with '${key}'`);
        return parts.map(() => []);
      },
    });
    const a = createGeneration('a', 0, 9, log);
    const b = Object.assign(createGeneration('b', 0, 2, log), { adapters: { key: 'x', adapters: [] } });
    b.onStep = a.cancel;
    for (const generation of [a, b]) loop.add(generation);
    await b.whenFinished;
    expect(log).toEqual(['b token', "pass with 'x'", 'a token', 'b token', "pass with 'x'"]);
  });

  it('starts again after it was empty', async () => {
    const log: string[] = [];
    const loop = createLoop();
    const first = createGeneration('first', 0, 1, log);
    loop.add(first);
    await first.whenFinished;
    await new Promise(setImmediate);
    const second = createGeneration('second', 0, 1, log);
    loop.add(second);
    await second.whenFinished;
    expect(log).toEqual(['first token', 'second token']);
  });

  it('starts again if a generation comes at the moment that the last one finishes', async () => {
    const log: string[] = [];
    const loop = createLoop();
    const first = createGeneration('first', 0, 1, log);
    const second = createGeneration('second', 0, 1, log);
    const added = first.whenFinished.then(() => loop.add(second));
    loop.add(first);
    await added;
    await second.whenFinished;
    expect(log).toEqual(['first token', 'second token']);
  });

  it('does errands between two steps, and at once where nothing runs; an error is for who sent it', async () => {
    const log: string[] = [];
    const loop = createLoop({
      decode: async (parts) => {
        log.push('pass begins');
        await Promise.resolve();
        log.push('pass ends');
        return parts.map(() => []);
      },
    });
    await loop.between(async () => void log.push('alone'));
    const generation = createGeneration('a', 0, 3, log);
    let errand: Promise<void> | undefined;
    generation.onStep = () => {
      errand ??= loop.between(async () => void log.push('errand'));
    };
    loop.add(generation);
    await generation.whenFinished;
    await errand;
    const pass = ['a token', 'pass begins', 'pass ends'];
    expect(log).toEqual(['alone', ...pass, 'errand', ...pass, ...pass]);
    await expect(loop.between(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

describe('a step for which the cache has no room', () => {
  /** A pass that has room for so many generations. */
  const roomFor =
    (most: number): StepDriver['decode'] =>
    async (parts) => {
      if (parts.length > most) throw new CacheFull('full');
      return parts.map(() => []);
    };

  it('is tried again after room was made', async () => {
    const log: string[] = [];
    let most = 0;
    const makeRoom = async () => {
      most += 1;
      log.push('room');
      return true;
    };
    const a = createGeneration('a', 0, 1, log);
    createLoop({ decode: (parts, ...rest) => roomFor(most)(parts, ...rest) }, makeRoom).add(a);
    await a.whenFinished;
    expect(log).toEqual(['a token', 'room']);
  });

  it('has the latest generation wait until another one ends, and then go on', async () => {
    const log: string[] = [];
    const loop = createLoop({ decode: roomFor(1) });
    const all = ['a', 'b', 'c'].map((name, index) => {
      const generation = createGeneration(name, 0, 2, log, index);
      const retreat = async () => void log.push(`${name} retreats`);
      return Object.assign(generation, { since: index, retreat });
    });
    for (const generation of all) loop.add(generation);
    await Promise.all(all.map(({ whenFinished }) => whenFinished));
    expect(log.filter((line) => line.includes('retreats'))).toEqual(['c retreats', 'b retreats']);
    expect(log.filter((line) => line.startsWith('a'))).toHaveLength(2);
    expect(log.lastIndexOf('b token')).toBeLessThan(log.lastIndexOf('c token'));
  });

  it('fails a generation that is alone, and one that cannot wait', async () => {
    const log: string[] = [];
    const loop = createLoop({ decode: roomFor(0) });
    const all = ['a', 'b'].map((name, index) => createGeneration(name, 0, 1, log, index));
    for (const generation of all) loop.add(generation);
    await Promise.all(all.map(({ whenFinished }) => whenFinished));
    expect(log.filter((line) => line.includes('failed'))).toEqual([
      'a failed: CacheFull: full',
      'b failed: CacheFull: full',
    ]);
  });

  it('ends a generation that is cancelled while it waits', async () => {
    const log: string[] = [];
    const loop = createLoop({ decode: roomFor(1) });
    const a = createGeneration('a', 0, 3, log);
    const b = Object.assign(createGeneration('b', 0, 3, log, 1), { since: 1, retreat: async () => b.cancel() });
    b.begin = () => {
      if (b.signal.aborted) void b.abandon();
      return b.signal.aborted ? null : { sequence: 1, at: 0, tokens: [], logitsAt: [] };
    };
    loop.add(a);
    loop.add(b);
    await Promise.all([a.whenFinished, b.whenFinished]);
    expect(log).toContain('b abandoned');
    // It ends at the next step, while the other one goes on.
    expect(log.indexOf('b abandoned')).toBeLessThan(log.lastIndexOf('a token'));
  });

  it('fails its generations if room cannot be looked for any more', async () => {
    const log: string[] = [];
    const makeRoom = () => Promise.reject(new Error('the context is closed'));
    const a = createGeneration('a', 0, 1, log);
    createLoop({ decode: roomFor(0) }, makeRoom).add(a);
    await a.whenFinished;
    expect(log.at(-1)).toBe('a failed: CacheFull: full');
  });
});
