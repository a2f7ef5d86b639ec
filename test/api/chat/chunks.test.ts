import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunkEncoder } from '../../../src/api/chat/stream.ts';
import { toLogprobs } from '../../../src/api/generation/logprobs.ts';
import { createCompletionHead, toTimings, toUsage } from '../../../src/api/stream/usage.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { type Chunk, chunksOf, done, progress, tokenLogprob } from '../fixtures.ts';

const head = createCompletionHead('chatcmpl', 'org/"tiny"', 'paddock-test', 1_700_000_000_999);

/** Returns the only chunk of an SSE text. */
function chunk(sse: string): Chunk {
  const [only, ...more] = chunksOf(sse);
  if (!only || more.length > 0) throw new Error('not exactly one chunk');
  return only;
}

describe('completion chunk', () => {
  const encode = createChunkEncoder(head);

  it('begins a stream with the role, an empty content and the progress of the prompt', () => {
    expect(chunk(encode.role(0, progress(12, 12, 4)))).toMatchObject({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
      prompt_progress: { cache: 4, processed: 12, total: 12, time_ms: 5 },
    });
  });

  it('tells the progress of a long prompt without content', () => {
    expect(chunk(encode.progress(0, progress(6, 12)))).toMatchObject({
      choices: [{ index: 0, delta: {}, finish_reason: null }],
      prompt_progress: { cache: 0, processed: 6, total: 12, time_ms: 5 },
    });
  });

  it('carries any text as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.nat({ max: 7 }), (text, index) => {
        const { choices, ...rest } = chunk(encode.text(index, text));
        expect(rest).toEqual({ ...head, object: 'chat.completion.chunk' });
        expect(choices).toEqual([{ index, delta: { content: text }, logprobs: null, finish_reason: null }]);
      }),
    );
  });

  it('carries text for any model id', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (model) => {
        const chunks = createChunkEncoder({ ...head, model });
        expect(chunk(chunks.text(0, 'x')).model).toBe(model);
      }),
    );
  });

  it('carries the logprobs of its text', () => {
    const { choices } = chunk(encode.text(1, 'Hi', [tokenLogprob('Hi', 'Ho')]));
    expect(choices).toMatchObject([
      { index: 1, delta: { content: 'Hi' }, logprobs: toLogprobs([tokenLogprob('Hi', 'Ho')]) },
    ]);
  });

  it('carries reasoning apart from content', () => {
    const { choices } = chunk(encode.reasoning(2, 'Hm.'));
    expect(choices).toEqual([{ index: 2, delta: { reasoning_content: 'Hm.' }, logprobs: null, finish_reason: null }]);
  });

  it('begins a tool call with its id and name, and goes on with pieces of its arguments', () => {
    const [begun] = chunk(encode.toolCall(1, 0, 'add')).choices;
    expect(begun).toMatchObject({
      index: 1,
      delta: {
        tool_calls: [
          { index: 0, id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'add', arguments: '' } },
        ],
      },
      finish_reason: null,
    });
    const [more] = chunk(encode.toolArguments(1, 0, '{"a":')).choices;
    expect(more?.delta).toEqual({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] });
  });

  it('ends a choice with its reason and the timings', () => {
    const { choices, timings } = chunk(
      encode.finish({ kind: 'finish', choice: 0, reason: 'length' }, toTimings(done())),
    );
    expect(choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'length' }]);
    expect(timings).toEqual(toTimings(done()));
  });

  it('tells the usage without choices', () => {
    expect(chunk(encode.usage(toUsage(done())))).toMatchObject({ ...head, choices: [], usage: toUsage(done()) });
  });
});
