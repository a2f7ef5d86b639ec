import { describe, expect, it } from 'vitest';
import { createStepLoop, type Steppable } from '../../../src/engine/native/step-loop.ts';

/**
 * Makes a generation with this number of prompt and reply tokens. It records its steps, and can be made to wait in one.
 */
function createGeneration(name: string, prompt: number, reply: number, log: string[]) {
  let pending = prompt;
  let left = reply;
  let finished: () => void = () => {};
  const whenFinished = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const generation: Steppable & { whenFinished: Promise<void>; hold?: Promise<void>; onStep?: () => void } = {
    whenFinished,
    get pendingPrompt() {
      return pending;
    },
    get finished() {
      return left === 0;
    },
    async step(promptTokens) {
      log.push(`${name} ${pending > 0 ? `prompt ${promptTokens}` : 'token'}`);
      generation.onStep?.();
      await generation.hold;
      if (pending > 0) pending -= promptTokens;
      else left -= 1;
      if (left === 0) finished();
    },
  };
  return generation;
}

describe('step loop', () => {
  it('steps a generation until it is finished, and no further', async () => {
    const log: string[] = [];
    const generation = createGeneration('a', 10, 2, log);
    createStepLoop(8).add(generation);
    await generation.whenFinished;
    await new Promise(setImmediate);
    expect(log).toEqual(['a prompt 8', 'a prompt 2', 'a token', 'a token']);
  });

  it('moves all generations forward together', async () => {
    const log: string[] = [];
    const loop = createStepLoop(8);
    const [a, b] = [createGeneration('a', 8, 2, log), createGeneration('b', 2, 1, log)];
    loop.add(a);
    loop.add(b);
    await Promise.all([a.whenFinished, b.whenFinished]);
    expect(log).toEqual(['a prompt 8', 'a token', 'b prompt 2', 'a token', 'b token']);
  });

  it('begins no step before all have ended the last one', async () => {
    const log: string[] = [];
    const loop = createStepLoop(8);
    const [slow, quick] = [createGeneration('slow', 0, 2, log), createGeneration('quick', 0, 2, log)];
    let release: () => void = () => {};
    slow.hold = new Promise((resolve) => {
      release = resolve;
    });
    loop.add(slow);
    await new Promise(setImmediate);
    loop.add(quick);
    await new Promise(setImmediate);
    expect(log).toEqual(['slow token']);
    release();
    await quick.whenFinished;
    expect(log).toEqual(['slow token', 'slow token', 'quick token', 'quick token']);
  });

  it('adds a generation that comes during a step at the next step', async () => {
    const log: string[] = [];
    const loop = createStepLoop(8);
    const [first, second] = [createGeneration('first', 0, 2, log), createGeneration('second', 0, 1, log)];
    first.onStep = () => {
      delete first.onStep;
      loop.add(second);
    };
    loop.add(first);
    await Promise.all([first.whenFinished, second.whenFinished]);
    expect(log).toEqual(['first token', 'first token', 'second token']);
  });

  it('also steps a generation whose prompt gets no share, so that it sees a cancel', async () => {
    const log: string[] = [];
    const loop = createStepLoop(8);
    const [a, b, c] = [
      createGeneration('a', 0, 1, log),
      createGeneration('b', 9, 1, log),
      createGeneration('c', 9, 1, log),
    ];
    for (const generation of [a, b, c]) loop.add(generation);
    b.onStep = () => {};
    await Promise.all([a.whenFinished, b.whenFinished, c.whenFinished]);
    expect(log.slice(0, 3)).toEqual(['a token', 'b prompt 8', 'c prompt 0']);
  });

  it('starts again after it was empty', async () => {
    const log: string[] = [];
    const loop = createStepLoop(8);
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
    const loop = createStepLoop(8);
    const first = createGeneration('first', 0, 1, log);
    const second = createGeneration('second', 0, 1, log);
    const added = first.whenFinished.then(() => loop.add(second));
    loop.add(first);
    await added;
    await second.whenFinished;
    expect(log).toEqual(['first token', 'second token']);
  });
});
