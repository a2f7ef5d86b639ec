import { describe, expect, it } from 'vitest';
import { applyOverflowPolicy } from '../../../src/api/stream/overflow.ts';
import { ApiError } from '../../../src/contract/errors.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { collect, ORDINARY, streamOf } from '../fixtures.ts';

const overflow: GenerationEvent = { kind: 'overflow', promptTokens: 900, contextLength: 512 };

describe('a prompt that does not fit the context window', () => {
  it.each(['length', 'error'] as const)('stays unchanged if it does fit (%s)', async (policy) => {
    expect(await collect(applyOverflowPolicy(streamOf(ORDINARY), policy))).toEqual(ORDINARY);
  });

  it('is an empty reply with finish reason length and the true count of tokens', async () => {
    const events = await collect(applyOverflowPolicy(streamOf([overflow]), 'length'));
    expect(events.map(({ kind }) => kind)).toEqual(['progress', 'finish', 'done']);
    expect(events).toContainEqual({ kind: 'finish', choice: 0, reason: 'length' });
    expect(events.at(-1)).toMatchObject({ promptTokens: 900, completionTokens: 0, cachedTokens: 0 });
  });

  it('is a 400 with both counts when the caller asks for an error', async () => {
    const error = await collect(applyOverflowPolicy(streamOf([overflow]), 'error')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).data).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    });
    expect((error as ApiError).message).toMatch(/512 tokens.*900/);
  });

  it('ends every choice that was asked for', async () => {
    const events = await collect(applyOverflowPolicy(streamOf([overflow]), 'length', { choices: 3 }));
    expect(events.filter(({ kind }) => kind === 'finish')).toEqual(
      [0, 1, 2].map((choice) => ({ kind: 'finish', choice, reason: 'length' })),
    );
  });

  it.each([
    ['messages', {}],
    ['prompt', { param: 'prompt' }],
  ])('is an error of the field that has it: %s', async (param, options) => {
    const refused = collect(applyOverflowPolicy(streamOf([overflow]), 'error', options));
    await expect(refused).rejects.toMatchObject({ data: { param } });
  });
});
