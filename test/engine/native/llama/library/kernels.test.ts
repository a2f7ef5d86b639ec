import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LlamaContext } from '../../../../../src/engine/native/llama/context.ts';
import { openContext } from '../../../../../src/engine/native/llama/context.ts';
import { openKernels, rearrangesWeights } from '../../../../../src/engine/native/llama/library/kernels.ts';
import type { LlamaModel } from '../../../../../src/engine/native/llama/model.ts';
import { openNativeModel } from '../../../../kit/native-model.ts';

describe('the kernels', () => {
  it("are llama.cpp's own where these are asked for, and on machines for which there are no others", () => {
    expect(openKernels(true)).toMatchObject({ instructions: null, description: 'stock: as configured' });
    expect(openKernels(false, 'darwin-arm64')).toMatchObject({
      instructions: null,
      description: 'stock: there are no others for darwin-arm64',
    });
  });
});

describe('the weights of a model', () => {
  const stock = { instructions: null, description: 'stock', products: () => 0 };
  const ours = { ...stock, instructions: 'AVX2' };
  it.each([
    ['stay as they lie in the file for the kernels', ours, 15, false, false],
    ['stay if their format is unknown', ours, undefined, false, false],
    ["are rearranged for llama.cpp's own kernels", stock, 15, false, true],
    ['are rearranged for a processor with AMX', ours, 15, true, true],
    ['are rearranged in a format that the kernels do not know, as MXFP4', ours, 38, false, true],
  ])('%s', (_, kernels, fileType, hasMatrixUnit, expected) => {
    expect(rearrangesWeights(kernels, fileType, hasMatrixUnit)).toBe(expected);
  });
});

const isOurs = openKernels(false).instructions !== null;

describe.runIf(isOurs)("Paddock's kernels", () => {
  let model: LlamaModel;
  let context: LlamaContext;
  beforeAll(async () => {
    model = await openNativeModel('models/pico/pico.gguf');
    const opened = await openContext(model, { contextLength: 256, sequences: 2, batchSize: 64, threads: 2 });
    if (!opened) throw new Error('there is no context');
    context = opened;
    model.own(context);
  });
  afterAll(() => model.close());

  it('compute the products of a pass of several tokens, and are named', async () => {
    const { kernels } = model.library;
    const before = kernels.products();
    await context.decode([{ sequence: 0, at: 0, tokens: [1, 2, 3, 4, 5, 6, 7, 8], logitsAt: [7] }]);
    expect(kernels.products()).toBeGreaterThan(before);
    expect(kernels.description).toMatch(/^AVX/);
  });

  it('give the same logits for a text in one pass and token by token, up to rounding', async () => {
    const tokens = [9, 100, 200, 300, 400, 500, 600, 700];
    const [[whole = -1] = []] = await context.decode([{ sequence: 0, at: 8, tokens, logitsAt: [7] }]);
    const together = Float32Array.from(context.logitsAt(whole));
    context.remove(0, 8);
    let place = -1;
    for (const [index, token] of tokens.entries()) {
      const part = { sequence: 0, at: 8 + index, tokens: [token], logitsAt: [0] };
      [[place = -1] = []] = await context.decode([part]);
    }
    const alone = context.logitsAt(place);
    const furthest = Math.max(...together.map((logit, token) => Math.abs(logit - (alone[token] ?? 0))));
    expect(furthest).toBeLessThan(0.2);
  });
});
