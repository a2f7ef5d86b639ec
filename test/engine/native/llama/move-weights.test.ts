import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { EngineOptions } from '../../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../../src/engine/native/engine.ts';
import { mappedRanges, moveWeights, offersHugePages } from '../../../../src/engine/native/llama/move-weights.ts';
import { sum } from '../../../../src/utils/sum.ts';
import { greedy, textRequest } from '../../../kit/generation.ts';
import { silentLog } from '../../../kit/log.ts';
import { writeModel } from '../../../kit/models/tiny-model.ts';
import { openNativeModel } from '../../../kit/native-model.ts';

const HUGE = 2 * 2 ** 20;

describe('huge pages', () => {
  it.each([
    ['always [madvise] never', true],
    ['[always] madvise never', true],
    ['always madvise [never]', false],
    ['', false],
  ])('are offered by the system, or not: %j', (setting, offered) => {
    expect(offersHugePages(setting)).toBe(offered);
  });
});

describe('the ranges of mapped files', () => {
  const maps = [
    '7f10000000-7f10200000 r--s 002a0000 fe:00 5447937                    /models/a b.gguf',
    '7f10200000-7f10300000 rw-p 00000000 00:00 0 ',
    '7f20000000-7f20001000 r--p 00000000 fe:00 99                         /models/other.gguf',
    '',
  ].join('\n');

  it('are those of the given files alone, whose names may have spaces', () => {
    expect(mappedRanges(maps, new Set(['/models/a b.gguf']))).toEqual([{ start: 0x7f10000000n, end: 0x7f10200000n }]);
    expect(mappedRanges(maps, new Set())).toEqual([]);
  });
});

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-weights-'));
  file = join(folder, 'one-layer.gguf');
  writeModel(file, 'one-layer');
});
afterAll(() => rm(folder, { recursive: true }));

const mappedBytes = () =>
  sum(
    mappedRanges(readFileSync('/proc/self/maps', 'utf8'), new Set([file])).map(({ start, end }) => Number(end - start)),
  );

async function reply(memory: { needed: number; available: number }, ready: () => void): Promise<string> {
  const options: EngineOptions = {
    files: [file],
    kind: 'chat',
    contextLength: 256,
    slots: 1,
    threads: 1,
    batchSize: 64,
  };
  await using engine = await loadNativeEngine(options, 'cpu', silentLog, memory);
  await vi.waitFor(ready, 10_000);
  let text = '';
  const collect = (event: { kind: string; text?: string }) => {
    text += event.text ?? '';
  };
  await engine.generate(
    textRequest('hello', { maxTokens: 8, sampling: greedy }),
    collect,
    new AbortController().signal,
  );
  return text;
}

const without = offersHugePages() && process.arch === 'x64' ? '' : ' (the system has no huge pages)';

describe.skipIf(without !== '')(`the weights of a model on a CPU${without}`, () => {
  it('move out of the mapped file, but for less than a huge page at both ends', async () => {
    const model = await openNativeModel(file);
    const before = mappedBytes();
    const move = moveWeights(model.library.kernels, [file]);
    if (!move) throw new Error('nothing moves');
    expect(move.bytes).toBe(before);
    await expect.poll(() => move.moved()).toBeGreaterThan(before - 2 * HUGE);
    expect(mappedBytes()).toBe(before - move.moved());
    await move[Symbol.asyncDispose]();
    await model.close();
    expect(mappedBytes()).toBe(0);
  });

  it('are moved for each of two models with the same file: the end of one leaves the other alone', async () => {
    const first = await openNativeModel(file);
    const ofFirst = mappedBytes();
    const firstMove = moveWeights(first.library.kernels, [file]);
    const second = await openNativeModel(file);
    const secondMove = moveWeights(second.library.kernels, [file]);
    expect(secondMove?.bytes).toBe(ofFirst);
    await firstMove?.[Symbol.asyncDispose]();
    await first.close();
    await expect.poll(() => secondMove?.moved()).toBeGreaterThan(ofFirst - 2 * HUGE);
    await secondMove?.[Symbol.asyncDispose]();
    await second.close();
    expect(mappedBytes()).toBe(0);
  });

  it('stop moving when the model is closed', async () => {
    const model = await openNativeModel(file);
    const move = moveWeights(model.library.kernels, [file]);
    await move?.[Symbol.asyncDispose]();
    await model.close();
    expect(mappedBytes()).toBe(0);
  });

  it('stay where the model needs more than half of the memory; the reply is the same', async () => {
    const moves = await reply({ needed: 1e9, available: 2e9 }, () => expect(mappedBytes()).toBeLessThan(2 * HUGE));
    const stays = await reply({ needed: 1e9 + 1, available: 2e9 }, () =>
      expect(mappedBytes()).toBeGreaterThan(2 * HUGE),
    );
    expect(moves).toBe(stays);
    expect(moves).not.toBe('');
  });
});
