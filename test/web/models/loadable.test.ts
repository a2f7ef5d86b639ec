import { describe, expect, it } from 'vitest';
import { checkLoadable } from '../../../web/models/loadable.ts';
import { simulatedGpu } from '../support/simulated-gpu.ts';

const GB = 1e9;
const noCard = { requestAdapter: async () => null };

describe('the memory for a model, before it is fetched', () => {
  it("is WebAssembly's without a graphics card", async () => {
    await checkLoadable('m', 4 * GB, noCard);
    await expect(checkLoadable('m', 5 * GB, noCard)).rejects.toMatchObject({
      data: {
        status: 400,
        message:
          'm has 5.0 GB, and a browser gives a model no more than 4.3 GB of memory; there is no graphics card that can ' +
          'take a part. Take a smaller quantization or a smaller model.',
      },
    });
  });

  it('is that of a graphics card, too', async () => {
    const { gpu, taken } = simulatedGpu({ memory: 8 * GB });
    await checkLoadable('m', 12 * GB, gpu, true);
    await expect(checkLoadable('m', 13 * GB, gpu, true)).rejects.toThrow(
      /its graphics card has room for [78]\.\d GB beside the model in use/,
    );
    expect(taken()).toBe(0);
  });

  it("is WebAssembly's where the browser can not stream files to the card, as without JSPI", async () => {
    const { gpu } = simulatedGpu({ memory: 8 * GB });
    await expect(checkLoadable('m', 5 * GB, gpu, false)).rejects.toThrow('there is no graphics card');
  });

  it('is not that of a card which can not compute models', async () => {
    const { gpu } = simulatedGpu({ memory: 8 * GB });
    const adapter = await gpu.requestAdapter();
    const software = { requestAdapter: async () => ({ ...adapter, info: { isFallbackAdapter: true } }) as never };
    await expect(checkLoadable('m', 5 * GB, software, true)).rejects.toThrow('there is no graphics card');
  });
});
