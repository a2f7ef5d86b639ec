import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Decoder } from '../../../../src/engine/native/llama/decoder.ts';
import { measureCopy } from '../../../../src/engine/native/prefix/copy-cost.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A decoder whose passes take these times, in ms. */
function fakeDecoder(plainMs: number, copyMs: number) {
  let copies = 0;
  let due = 0;
  const parts: Pick<Decoder, 'sequences' | 'truncate' | 'decode' | 'copy'> = {
    sequences: 2,
    truncate: async () => 0,
    copy: async (_, __, length) => {
      copies += 1;
      due = copyMs;
      return length;
    },
    decode: async () => {
      vi.advanceTimersByTime(plainMs + due);
      due = 0;
      return [];
    },
  };
  return { decoder: parts as Decoder, copies: () => copies };
}

it('says what a pass with a copy takes longer than one without', async () => {
  const { decoder, copies } = fakeDecoder(5, 12);
  expect(await measureCopy(decoder, 1)).toBeCloseTo(12);
  expect(copies()).toBe(3);
});

it('stops after the first pass where copying is slow', async () => {
  const { decoder, copies } = fakeDecoder(5, 2000);
  expect(await measureCopy(decoder, 1)).toBeCloseTo(2000);
  expect(copies()).toBe(1);
});
