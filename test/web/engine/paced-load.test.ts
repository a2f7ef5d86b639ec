import { describe, expect, it } from 'vitest';
import { batchFor, loadPaced } from '../../../web/engine/paced-load.ts';
import type { ReadTime } from '../../../web/engine/read-time.ts';

/** An engine on a card that reads a token in so many ms, after it has compiled its kernels. */
function cardOf({ tokenMs = 1, compileMs = 0 }) {
  const happened: string[] = [];
  const load = async (batchSize: number) => {
    happened.push(`load ${batchSize}`);
    let isCold = true;
    const read = async (tokens: number): Promise<ReadTime> => {
      happened.push(`read ${tokens}`);
      const ms = tokens * tokenMs + (isCold ? compileMs : 0);
      isCold = false;
      return { tokens, ms };
    };
    return { batchSize, read, [Symbol.asyncDispose]: async () => void happened.push(`end ${batchSize}`) };
  };
  return { happened, run: () => loadPaced(512, load, (engine, tokens) => engine.read(tokens)) };
}

describe('the batch on a graphics card', () => {
  it('is kept where the first prompt is read fast enough', async () => {
    const { happened, run } = cardOf({ tokenMs: 0.1, compileMs: 20 });
    expect(await run()).toMatchObject({ batchSize: 512 });
    expect(happened).toEqual(['load 512', 'read 64']);
  });

  it('is measured once more after the kernels are compiled', async () => {
    const { happened, run } = cardOf({ tokenMs: 1.6, compileMs: 800 });
    expect(await run()).toMatchObject({ batchSize: 512 });
    expect(happened).toEqual(['load 512', 'read 64', 'read 256']);
  });

  it('is made smaller where a pass would hold up an abort for longer than a second', async () => {
    const { happened, run } = cardOf({ tokenMs: 8 });
    expect(await run()).toMatchObject({ batchSize: 64 });
    expect(happened).toEqual(['load 512', 'read 64', 'read 256', 'end 512', 'load 64']);
  });

  it('of a slow card is measured with a short prompt', async () => {
    const { happened, run } = cardOf({ tokenMs: 50 });
    expect(await run()).toMatchObject({ batchSize: 32 });
    expect(happened.slice(0, 3)).toEqual(['load 512', 'read 64', 'read 64']);
  });

  it('leaves no engine behind if it can not be measured', async () => {
    const happened: string[] = [];
    const engine = { [Symbol.asyncDispose]: async () => void happened.push('end') };
    const lost = new Error('the card is lost');
    await expect(
      loadPaced(
        512,
        async () => engine,
        () => Promise.reject(lost),
      ),
    ).rejects.toBe(lost);
    expect(happened).toEqual(['end']);
  });

  it.each([
    [{ tokens: 64, ms: 125 }, 512],
    [{ tokens: 64, ms: 126 }, 256],
    [{ tokens: 256, ms: 2000 }, 128],
    [{ tokens: 64, ms: 60_000 }, 32],
  ])('for %j is %i', (time, batch) => {
    expect(batchFor(time, 512)).toBe(batch);
  });
});
