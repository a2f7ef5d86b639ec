import { describe, expect, it } from 'vitest';
import { invalidRequest } from '../../src/contract/errors.ts';
import { askFrom } from '../../src/engine/answers.ts';

describe('the questions to an engine', () => {
  const ask = askFrom({
    tokenize: ({ text }) => ({ tokens: [text.length], pieces: [text] }),
    embed: async ({ inputs }) => ({ vectors: inputs.map(() => [1]), tokens: inputs.length }),
    detokenize: () => {
      throw invalidRequest('There is no token 5.');
    },
  });

  it('are answered at once or later', async () => {
    expect(await ask('tokenize', { text: 'abc', addSpecial: false })).toEqual({ tokens: [3], pieces: ['abc'] });
    expect(await ask('embed', { inputs: ['a', 'b'] })).toEqual({ vectors: [[1], [1]], tokens: 2 });
  });

  it('may be cancelled', async () => {
    const patient = askFrom({ embed: (_, signal) => ({ vectors: [], tokens: signal?.aborted ? 0 : 1 }) });
    expect(await patient('embed', { inputs: [] }, AbortSignal.abort())).toEqual({ vectors: [], tokens: 0 });
  });

  it('reject with their error', async () => {
    await expect(ask('detokenize', { tokens: [5] })).rejects.toThrow('There is no token 5.');
  });

  it('are refused with 400 if the model has no answer', async () => {
    await expect(ask('rerank', { query: 'a', documents: ['b'] })).rejects.toMatchObject({
      data: { status: 400, code: 'unsupported_parameter', param: 'model' },
      message: expect.stringContaining('ranks no documents'),
    });
  });
});
