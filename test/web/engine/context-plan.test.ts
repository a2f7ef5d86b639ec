import { describe, expect, it } from 'vitest';
import { planContext } from '../../../web/engine/context-plan.ts';
import type { BrowserSource } from '../../../web/protocol.ts';

const GIB = 2 ** 30;

/** A model of about a billion parameters, with files of that many bytes. */
function source(fileBytes: number, more: Partial<BrowserSource> = {}): BrowserSource {
  return {
    files: [],
    kind: 'chat',
    shape: {
      fileBytes,
      layers: 24,
      cachedPerToken: 48 * 1024,
      embeddingLength: 2048,
      feedForwardLength: 8192,
      vocabularySize: 32_000,
      trainedContextLength: 32_768,
      poolsLast: false,
    },
    tokens: { bos: '', eos: '', infill: null },
    ...more,
  };
}

describe('the context window in the browser', () => {
  it('is the default one where there is room', () => {
    expect(planContext(source(GIB))).toMatchObject({ contextLength: 4096 });
  });

  it('is halved where memory is short', () => {
    expect(planContext(source(3.3 * GIB))).toMatchObject({ contextLength: 2048 });
  });

  it('has floats in its KV cache where there is room, and is rather long than with floats', () => {
    expect(planContext(source(GIB))).toMatchObject({ contextLength: 4096, floatCache: true });
    expect(planContext(source(3.1 * GIB))).toMatchObject({ contextLength: 4096, floatCache: false });
  });

  it('is the one that is asked for', () => {
    expect(planContext(source(GIB, { contextLength: 512 }))).toMatchObject({ contextLength: 512 });
  });

  it('is not shortened when it is asked for', () => {
    expect(planContext(source(3.3 * GIB, { contextLength: 4096 }))).toMatchObject({
      shortage: expect.stringContaining('for a context of 4096 tokens'),
    });
  });

  it('is none for a model that no browser holds, with the figures', () => {
    expect(planContext(source(5 * GIB))).toEqual({
      shortage: expect.stringMatching(
        /^it needs 6\.\d GB for a context of 2048 tokens, and a browser gives WebAssembly no more than 4\.3 GB\. Take a smaller/,
      ),
    });
  });
});
