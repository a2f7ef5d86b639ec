import { describe, expect, it } from 'vitest';
import { toCompletion } from '../../../src/api/chat/whole.ts';
import { collectReplies } from '../../../src/api/generation/collect.ts';
import { toLogprobs } from '../../../src/api/generation/logprobs.ts';
import { createCompletionHead } from '../../../src/api/stream/usage.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import {
  done,
  failing,
  finish,
  ORDINARY,
  progress,
  reasoning,
  streamOf,
  text,
  tokenLogprob,
  toolArguments,
  toolCall,
} from '../fixtures.ts';

const head = createCompletionHead('chatcmpl', 'tiny', 'paddock-test', 1_700_000_000_999);

/** Returns the choices of a completion whose generation has these events. */
async function choicesOf(...events: GenerationEvent[]) {
  const { replies, done: end } = await collectReplies(streamOf([progress(1, 1), ...events, done()]));
  return toCompletion(head, replies, end).choices;
}

describe('a whole reply', () => {
  it('has the joined text, the finish reason, and the last event of its generation', async () => {
    const { replies, done: end } = await collectReplies(streamOf(ORDINARY));
    expect(end).toEqual(done());
    expect(toCompletion(head, replies, end).choices).toEqual([
      { index: 0, message: { role: 'assistant', content: 'Hello' }, logprobs: null, finish_reason: 'stop' },
    ]);
  });

  it.each(['stop', 'length', 'tool_calls', 'content_filter'] as const)('ends with %s', async (reason) => {
    expect(await choicesOf(finish(reason))).toMatchObject([{ finish_reason: reason }]);
  });

  it('has an empty content, not null, if the model writes nothing', async () => {
    const [choice] = await choicesOf(finish());
    expect(choice?.message).toEqual({ role: 'assistant', content: '' });
  });

  it('has its reasoning next to its content', async () => {
    const [choice] = await choicesOf(reasoning('Hm, '), reasoning('2?'), text('It is 2.'), finish());
    expect(choice?.message).toEqual({ role: 'assistant', content: 'It is 2.', reasoning_content: 'Hm, 2?' });
  });

  it('has each tool call with its arguments and an id of its own, and no content', async () => {
    const [choice] = await choicesOf(
      toolCall('add', 0),
      toolArguments('{"a":', 0),
      toolArguments(' 1}', 0),
      toolCall('now', 1),
      toolArguments('{}', 1),
      finish('tool_calls'),
    );
    expect(choice?.message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: expect.any(String), type: 'function', function: { name: 'add', arguments: '{"a": 1}' } },
        { id: expect.any(String), type: 'function', function: { name: 'now', arguments: '{}' } },
      ],
    });
    expect(new Set(choice?.message.tool_calls?.map(({ id }) => id)).size).toBe(2);
  });

  it('keeps the content next to a tool call', async () => {
    const [choice] = await choicesOf(text('Let me add.'), toolCall('add'), toolArguments('{}'), finish('tool_calls'));
    expect(choice?.message).toMatchObject({ content: 'Let me add.', tool_calls: [{ function: { name: 'add' } }] });
  });

  it('has the logprobs of all its tokens if there are any', async () => {
    const [first, second, third] = [tokenLogprob('a', 'b'), tokenLogprob('c'), tokenLogprob('d')];
    const [choice] = await choicesOf(
      { ...text('ac'), logprobs: [first, second] },
      { ...text('d'), logprobs: [third] },
      finish(),
    );
    expect(choice?.logprobs).toEqual(toLogprobs([first, second, third]));
  });

  it('has its choices in order, even if their events are interleaved', async () => {
    const choices = await choicesOf(
      text('c', 2),
      text('a', 0),
      toolCall('now', 0, 1),
      text('A', 0),
      finish('length', 2),
      toolArguments('{}', 0, 1),
      finish('tool_calls', 1),
      finish('stop', 0),
    );
    expect(choices).toMatchObject([
      { index: 0, message: { content: 'aA' }, finish_reason: 'stop' },
      { index: 1, message: { content: null, tool_calls: [{}] }, finish_reason: 'tool_calls' },
      { index: 2, message: { content: 'c' }, finish_reason: 'length' },
    ]);
  });
});

describe('an incomplete reply', () => {
  it('throws the error of its generation', async () => {
    const error = new Error('broken');
    await expect(collectReplies(failing([text('Hel')], error))).rejects.toBe(error);
  });

  it('throws when the generation ends without its last event', async () => {
    await expect(collectReplies(streamOf([progress(1, 1), text('Hel'), finish()]))).rejects.toThrow('last event');
  });
});

describe('a chat completion', () => {
  it('is the object of the API contract', async () => {
    const { replies, done: end } = await collectReplies(streamOf(ORDINARY));
    expect(toCompletion(head, replies, end)).toMatchObject({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0 }],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    });
  });
});
