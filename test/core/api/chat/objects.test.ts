import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChoiceObject,
  completionHead,
  createChunkEncoder,
  newToolCallId,
  toCompletion,
  toLogprobs,
  toTimings,
  toUsage,
} from '../../../../src/core/api/chat/objects.ts';
import { type Chunk, chunksOf, done, progress, tokenLogprob } from '../fixtures.ts';

const head = completionHead('org/"tiny"', 'paddock-test', 1_700_000_000_999);

const choice: ChoiceObject = {
  index: 0,
  message: { role: 'assistant', content: 'Hello' },
  logprobs: null,
  finish_reason: 'stop',
};

/** The one chunk of an SSE text. */
function chunk(sse: string): Chunk {
  const [only, ...more] = chunksOf(sse);
  if (!only || more.length > 0) throw new Error('not exactly one chunk');
  return only;
}

describe('completion', () => {
  it('has an id of its own and the time in seconds', () => {
    expect(head).toMatchObject({ created: 1_700_000_000, model: 'org/"tiny"', system_fingerprint: 'paddock-test' });
    expect(head.id).toMatch(/^chatcmpl-\w+$/);
    expect(completionHead('a', 'b', 0).id).not.toBe(head.id);
  });

  it('is the object of the API contract', () => {
    expect(toCompletion(head, [choice], done())).toMatchObject({
      ...head,
      object: 'chat.completion',
      choices: [choice],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    });
  });

  it('says how many tokens of the prompt were cached', () => {
    expect(toUsage(done()).prompt_tokens_details).toEqual({ cached_tokens: 4 });
  });

  it('has the timings of llama-server', () => {
    expect(toTimings(done())).toEqual({
      cache_n: 4,
      prompt_n: 8,
      prompt_ms: 20,
      prompt_per_second: 400,
      predicted_n: 3,
      predicted_ms: 30,
      predicted_per_second: 100,
    });
  });

  it('has finite rates when no time has passed', () => {
    const timings = toTimings(done({ promptMs: 0, predictedMs: 0 }));
    expect(timings).toMatchObject({ prompt_per_second: 0, predicted_per_second: 0 });
  });
});

describe('logprobs', () => {
  it('name each token, its bytes, how likely it was, and the likeliest others', () => {
    expect(toLogprobs([tokenLogprob('é', 'e', 'a'), tokenLogprob('x')])).toEqual({
      content: [
        {
          token: 'é',
          logprob: -0.5,
          bytes: [0xc3, 0xa9],
          top_logprobs: [
            { token: 'e', logprob: -0.5, bytes: [0x65] },
            { token: 'a', logprob: -0.5, bytes: [0x61] },
          ],
        },
        { token: 'x', logprob: -0.5, bytes: [0x78], top_logprobs: [] },
      ],
      refusal: null,
    });
  });

  it('are finite also of a token that can not be', () => {
    const impossible = { ...tokenLogprob('x'), logprob: Number.NEGATIVE_INFINITY };
    const { content } = toLogprobs([{ ...impossible, alternatives: [impossible] }]);
    expect(content).toMatchObject([{ logprob: -9999, top_logprobs: [{ logprob: -9999 }] }]);
  });
});

describe('tool call id', () => {
  it('is another one for each call', () => {
    const ids = Array.from({ length: 100 }, newToolCallId);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^call_\w{24}$/);
  });
});

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
      fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 7 }), (text, index) => {
        const { choices, ...rest } = chunk(encode.text(index, text));
        expect(rest).toEqual({ ...head, object: 'chat.completion.chunk' });
        expect(choices).toEqual([{ index, delta: { content: text }, logprobs: null, finish_reason: null }]);
      }),
    );
  });

  it('carries the text of a model whatever its id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (model) => {
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
    const { choices, timings } = chunk(encode.finish(0, 'length', toTimings(done())));
    expect(choices).toMatchObject([{ index: 0, delta: {}, finish_reason: 'length' }]);
    expect(timings).toEqual(toTimings(done()));
  });

  it('tells the usage without choices', () => {
    expect(chunk(encode.usage(toUsage(done())))).toMatchObject({ ...head, choices: [], usage: toUsage(done()) });
  });
});
