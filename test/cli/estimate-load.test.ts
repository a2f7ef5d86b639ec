import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { estimateLoad } from '../../src/cli/estimate-load.ts';
import type { ModelSource } from '../../src/engine/engine.ts';
import { findMediaLibrary } from '../../src/engine/node/media-library.ts';
import { tinyModelShape } from '../kit/models/model-shape.ts';

const source: ModelSource = {
  files: ['/models/x.gguf'],
  kind: 'chat',
  shape: { ...tinyModelShape, trainedContextLength: 32_768 },
};
const config = { ctxLen: undefined, slots: 4, threads: availableParallelism(), batch: 512 };

describe('the memory that a model would take without a GPU', () => {
  it('is that of the native build', () => {
    expect(estimateLoad(source, config, 0)).toMatchObject({ backend: 'cpu', slots: 4, contextLength: 8192 });
    expect(estimateLoad(source, config, 1e12)).toMatchObject({ backend: 'cpu', slots: 4, contextLength: 32_768 });
  });

  it('is that of the engine that reads its images and recordings, if it has a projector', () => {
    const expected =
      findMediaLibrary().path === null
        ? { backend: 'wasm', slots: 1, contextLength: 4096, passedOver: [expect.stringContaining('libmtmd')] }
        : { backend: 'cpu', slots: 4, contextLength: 32_768, passedOver: [] };
    const withProjector = { ...source, projector: '/models/mmproj.gguf' };
    expect(estimateLoad(withProjector, config, 1e12)).toMatchObject(expected);
  });
});
