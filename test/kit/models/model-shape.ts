import type { ModelShape } from '../../../src/engine/engine.ts';

/** About the figures of the tiny model. */
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
