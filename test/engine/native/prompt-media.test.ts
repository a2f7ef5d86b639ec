import { describe, expect, it } from 'vitest';
import { type MediaRows, sliceRows } from '../../../src/engine/native/llama/media/rows.ts';
import { createPromptMedia, type PlacedPiece } from '../../../src/engine/native/prompt-media.ts';

const never = new AbortController().signal;

/** Rows of two numbers for this many tokens. */
const rowsOf = (count: number): MediaRows => ({
  embeddings: Float32Array.from({ length: 2 * count }, (_, index) => index),
  width: 2,
  offset: 0,
  grid: null,
  bothWays: false,
});

function pieceAt(from: number, count: number, more: Partial<PlacedPiece> = {}): PlacedPiece {
  const tokens = Array.from({ length: count }, (_, index) => index);
  return { from, tokens, whole: false, encode: async () => rowsOf(count), ...more };
}

describe('the media of a prompt', () => {
  it('are encoded when the prefill comes to them, and once', async () => {
    let encoded = 0;
    const encode = async () => {
      encoded += 1;
      return rowsOf(4);
    };
    const media = createPromptMedia([pieceAt(3, 4, { encode })], never);
    expect(media.awaited(2)).toBeUndefined();
    expect(media.rowsAt(2, 9)).toBeNull();
    expect(encoded).toBe(0);
    expect(() => media.rowsAt(3, 9)).toThrow('not encoded yet');
    await media.awaited(3);
    expect(media.awaited(3)).toBeUndefined();
    expect(media.rowsAt(3, 5)).toMatchObject({ embeddings: Float32Array.of(0, 1, 2, 3), offset: 0 });
    expect(media.rowsAt(5, 99)).toMatchObject({ embeddings: Float32Array.of(4, 5, 6, 7), offset: 2 });
    expect(media.rowsAt(7, 99)).toBeNull();
    expect(encoded).toBe(1);
  });

  it('are whole where they have to be', async () => {
    const media = createPromptMedia([pieceAt(0, 4, { whole: true })], never);
    await media.awaited(0);
    expect(media.rowsAt(0, 1)?.embeddings.length).toBe(8);
  });

  it('tell where the next piece begins', () => {
    const media = createPromptMedia([pieceAt(3, 4), pieceAt(9, 1)], never);
    expect([0, 3, 8, 9].map(media.nextAfter)).toEqual([3, 9, 9, Number.POSITIVE_INFINITY]);
  });

  it('fail with the error of the encoder', async () => {
    const media = createPromptMedia([pieceAt(0, 1, { encode: () => Promise.reject(new Error('damaged')) })], never);
    await media.awaited(0);
    expect(media.awaited(0)).toBeUndefined();
    expect(() => media.rowsAt(0, 1)).toThrow('damaged');
  });

  it('are waited for no longer after an abort', async () => {
    const abort = new AbortController();
    const media = createPromptMedia([pieceAt(0, 1, { encode: () => new Promise(() => {}) })], abort.signal);
    const awaited = media.awaited(0);
    abort.abort();
    await awaited;
    expect(media.awaited(0)).toBeUndefined();
  });
});

it('a part of rows has its share of the four positions of each token', () => {
  const grid = Int32Array.of(0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0);
  expect(sliceRows({ ...rowsOf(4), grid }, 1, 3).grid).toEqual(Int32Array.of(0, 0, 1, 0, 0, 1, 0, 0));
});
