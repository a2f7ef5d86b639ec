import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fromGguf } from '../../../models/pico/from-gguf.ts';
import { toGguf } from '../../../models/pico/to-gguf.ts';
import { mixWeights, readWeights, type Weights, writeWeights } from '../../../models/pico/weights.ts';
import { ggufChunks, writeChunks } from '../../kit/models/gguf-writer.ts';
import { MODEL, template } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'paddock-release-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { weights, vocabulary } = await fromGguf(MODEL);

describe('the next release', () => {
  it('begins with the released file: taken apart and put together again, it is the same, byte for byte', {
    tags: 'slow',
  }, () => {
    const saved = join(folder, 'released.weights');
    const made = join(folder, 'pico.gguf');
    writeWeights(saved, weights);
    const { entries, tensors } = toGguf(readWeights(saved), vocabulary, template());
    writeChunks(made, ggufChunks(entries, tensors));
    expect(readFileSync(made).equals(readFileSync(MODEL))).toBe(true);
  });

  it('keeps in one matrix what training keeps in one', () => {
    const { width, hidden } = weights.config;
    expect(weights.matrices.get('blk.0.attn_qkv.weight')?.shape).toEqual([3 * width, width]);
    expect(weights.matrices.get('blk.0.ffn_gate_up.weight')?.shape).toEqual([2 * hidden, width]);
    expect(weights.matrices.get('output_norm.weight')?.shape).toEqual([width]);
  });

  it('may lie between the released weights and the trained ones', () => {
    const only = (values: number[]): Weights => ({
      config: weights.config,
      matrices: new Map([['output_norm.weight', { shape: [values.length], values: Float32Array.from(values) }]]),
    });
    const released = only([0, 4, -8]);
    const trained = only([1, 4, 8]);
    expect(mixWeights(released, trained, 0.75)).toEqual(only([0.75, 4, 4]));
    expect(mixWeights(released, trained, 1)).toEqual(trained);
    expect(() => mixWeights({ ...released, matrices: new Map() }, trained, 0.5)).toThrow('no output_norm.weight');
  });

  it('can not begin with a file of other types', async () => {
    const other = join(folder, 'other.gguf');
    const { entries, tensors } = toGguf(weights, vocabulary, template());
    const half = tensors.map((tensor) =>
      tensor.type === 'Q8_0'
        ? {
            ...tensor,
            type: 'F16' as const,
            chunks: () => [new Uint8Array(2 * (tensor.shape[0] ?? 0) * (tensor.shape[1] ?? 0))],
          }
        : tensor,
    );
    writeChunks(other, ggufChunks(entries, half));
    await expect(fromGguf(other)).rejects.toThrow('token_embd.weight is neither Q8_0 nor F32');
  });
});
