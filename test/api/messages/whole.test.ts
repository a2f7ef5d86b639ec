import { describe, expect, it } from 'vitest';
import { collectReplies } from '../../../src/api/generation/collect.ts';
import { toWholeMessage } from '../../../src/api/messages/whole.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { done, finish, progress, reasoning, streamOf, text, toolArguments, toolCall } from '../fixtures.ts';

async function whole(...pieces: GenerationEvent[]) {
  const { replies, done: last } = await collectReplies(streamOf([progress(12, 12, 4), ...pieces, done()]));
  const [reply] = replies;
  if (!reply) throw new Error('there is no reply');
  return toWholeMessage({ id: 'msg_1', model: 'tiny' }, reply, last);
}

const call = (name: string, input: object) => ({
  type: 'tool_use',
  id: expect.stringMatching(/^toolu_/),
  name,
  input,
  caller: { type: 'direct' },
});

describe('a whole message', () => {
  it('has the blocks of its stream: thinking, text and calls', async () => {
    const pieces = [
      reasoning('Hm.'),
      text('Let '),
      text('me see.'),
      toolCall('add'),
      toolArguments('{"a": '),
      toolArguments('1}'),
    ];
    expect(await whole(...pieces, toolCall('list', 1), toolArguments('{}', 1), finish('tool_calls'))).toMatchObject({
      id: 'msg_1',
      model: 'tiny',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'paddock' },
        { type: 'text', text: 'Let me see.' },
        call('add', { a: 1 }),
        call('list', {}),
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 8, cache_read_input_tokens: 4, output_tokens: 3 },
    });
  });

  it('leaves out a call that is cut, so that nobody runs it with a part of its input', async () => {
    const pieces = [toolCall('add'), toolArguments('{"a": 1}'), toolCall('add', 1), toolArguments('{"a": ', 1)];
    expect(await whole(...pieces, finish('length'))).toMatchObject({
      content: [call('add', { a: 1 })],
      stop_reason: 'max_tokens',
    });
  });

  it('has no blocks where nothing was said', async () => {
    expect(await whole(finish())).toMatchObject({ content: [], stop_reason: 'end_turn' });
  });
});
