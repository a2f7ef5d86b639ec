import type { ModelShape } from '../../../src/engine/engine.ts';

/** The sizes of a model about as small as the tiny model. */
export const tinyModelShape: ModelShape = {
  fileBytes: 2_000_000,
  layers: 2,
  cachedPerToken: 256,
  embeddingLength: 64,
  feedForwardLength: 128,
  vocabularySize: 280,
  trainedContextLength: 1024,
  poolsLast: false,
};
