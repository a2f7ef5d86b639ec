import { describe, expect, it } from 'vitest';
import type { ModelShape, ModelSource } from '../../../src/engine/engine.ts';
import { bytesReadPerToken } from '../../../src/engine/memory-estimate.ts';
import { findRoom, roomIn } from '../../../src/pool/load/find-room.ts';
import { planLoad } from '../../../src/pool/load/plan-load.ts';

const GB = 1e9;

/** The figures of Qwen3-30B-A3B in Q4_K_M: 48 layers with 128 experts of three matrices of 2048 x 768. */
const mixture: ModelShape = {
  fileBytes: 18.6 * GB,
  parameterCount: 30.5e9,
  experts: { bytes: (18.6 * GB * 48 * 128 * 3 * 2048 * 768) / 30.5e9, count: 128, used: 8 },
  layers: 48,
  cachedPerToken: 48 * 4 * 2 * 128,
  embeddingLength: 2048,
  feedForwardLength: 6144,
  vocabularySize: 151_936,
  trainedContextLength: 40_960,
  poolsLast: false,
};
/** The figures of Llama 3.3 70B in Q4_K_M. */
const dense: ModelShape = {
  fileBytes: 42.5 * GB,
  parameterCount: 70.6e9,
  layers: 80,
  cachedPerToken: 80 * 8 * 2 * 128,
  embeddingLength: 8192,
  feedForwardLength: 28_672,
  vocabularySize: 128_256,
  trainedContextLength: 131_072,
  poolsLast: false,
};

const asked = { slots: null, contextLength: null, threads: null, batchSize: 512 };

function plansOf(shape: ModelShape, available: number) {
  const source: ModelSource = { files: [], kind: 'chat', shape };
  const { sizes, windows } = planLoad(source, 'cpu', asked, available);
  return windows.lengths.map((contextLength) => ({ ...sizes, contextLength }));
}

/** Returns the room that a model gets on a CPU with so much available memory. */
const roomOf = (shape: ModelShape, available: number) => roomIn(shape, plansOf(shape, available), available);

const shortageOf = (shape: ModelShape, available: number) => {
  const room = roomOf(shape, available);
  return 'shortage' in room ? room.shortage : undefined;
};

describe('a mixture of experts of 18 GB', () => {
  it('reads a ninth of its weights for a token', () => {
    expect(bytesReadPerToken(mixture) / mixture.fileBytes).toBeCloseTo(0.11, 2);
    const projector = {
      fileBytes: 1e9,
      places: 1,
      embeddingLength: 1,
      feedForwardLength: 1,
      tokensTogether: 0,
      audio: false,
      dependsOnPlace: false,
    };
    const seeing = { ...mixture, fileBytes: mixture.fileBytes + projector.fileBytes, projector };
    expect(bytesReadPerToken(seeing)).toBe(bytesReadPerToken(mixture));
  });

  it('leaves room for other programs on a machine of 24 GB', () => {
    const room = roomOf(mixture, 22.5 * GB);
    expect(room).toMatchObject({ fromFile: false, plan: { contextLength: 8192, slots: 2 } });
    expect('needed' in room && room.needed).toBeLessThan(20.7 * GB);
  });

  it.each([14, 8])('runs with %d GB for one client, with experts read from the file', (free) => {
    const room = roomOf(mixture, free * GB);
    expect(room).toMatchObject({ fromFile: true, plan: { contextLength: 8192, slots: 1 } });
    expect('needed' in room && room.needed).toBeLessThan(4 * GB);
  });

  it('prefers a shorter window to experts that are read from the file', () => {
    expect(roomOf(mixture, 19.5 * GB)).toMatchObject({ fromFile: false, plan: { contextLength: 4096, slots: 1 } });
  });

  it('has the windows of a machine with enough memory there', () => {
    expect(roomOf(mixture, 60 * GB)).toMatchObject({ fromFile: false, plan: { slots: 4, contextLength: 20_480 } });
  });

  it('does not run where not even the experts of a token fit beside the rest', () => {
    expect(shortageOf(mixture, 2 * GB)).toMatch(/^it needs 2\.\d GB \(2\.\d GB of weights that each token reads, /);
  });

  it('claims the same room at a load', async () => {
    const claims: number[] = [];
    const room = await findRoom(
      mixture,
      plansOf(mixture, 14 * GB),
      async (needed) => {
        claims.push(needed);
        return needed <= 14 * GB ? null : { needed, available: 14 * GB };
      },
      (_, needed) => needed,
    );
    expect(room).toEqual(roomOf(mixture, 14 * GB));
    expect(claims).toHaveLength(4);
  });
});

describe('a model of 70B on a machine of 24 GB', () => {
  it('is refused with what a token would read, and with what would fit', () => {
    expect(shortageOf(dense, 22.5 * GB)).toMatch(
      /and 22\.5 GB can be had\. Each token reads 42\.5 GB of weights, which is too slow from a disk\. Weights of up to 19\.\d GB would fit: this model with at most 2\.2 bits per weight, or a model of up to 3\dB parameters in this quantization\.$/,
    );
  });

  it('is refused without a quantization where none is small enough', () => {
    expect(shortageOf(dense, 10 * GB)).toMatch(
      / Weights of up to \d\.\d GB would fit: a model of up to 1\dB parameters in this quantization\.$/,
    );
  });

  it('fits 64 GB', () => {
    expect(roomOf(dense, 62 * GB)).toMatchObject({ fromFile: false });
  });
});
