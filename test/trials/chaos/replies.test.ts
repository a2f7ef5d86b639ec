import { describe, expect, it } from 'vitest';
import { gistOf } from './replies.ts';

const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});

describe('the gist of a reply', () => {
  it('is the same for a stream and the whole reply, however the stream is cut', () => {
    const call = { id: 'call_1', function: { name: 'weather', arguments: '{"days":1}' } };
    const message = { content: 'Hello world', tool_calls: [call] };
    const whole = gistOf([{ id: 'a', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }]);
    const stream = gistOf([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo world' }),
      chunk({ tool_calls: [{ index: 0, id: 'call_9', function: { name: 'weather', arguments: '{"da' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: 'ys":1}' } }] }),
      chunk({}, 'tool_calls'),
      { choices: [], usage: {} },
    ]);
    expect(stream).toBe(whole);
  });

  it.each([
    ['a character is missing', 'Hell world', 'stop'],
    ['a character is repeated', 'Helloo world', 'stop'],
    ['it ended for another reason', 'Hello world', 'length'],
  ])('differs when %s', (_, content, finish_reason) => {
    const right = gistOf([chunk({ content: 'Hello world' }, 'stop')]);
    expect(gistOf([chunk({ content }, finish_reason)])).not.toBe(right);
  });
});
