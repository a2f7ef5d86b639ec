import type { BetaMessage, BetaRawMessageStreamEvent } from '@anthropic-ai/sdk/resources/beta/messages';
import type { Message, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import {
  type MessageObject,
  RUNNING,
  textBlock,
  toMessageObject,
  toolUseBlock,
  toStopFields,
  toUsageCounts,
} from '../../../src/api/messages/message-object.ts';
import type { MessageEvent } from '../../../src/api/messages/stream.ts';
import { done, finish } from '../fixtures.ts';

// The compiler checks here that nothing is missing which the SDK's own types promise to its users.
const asMessage = (message: MessageObject): Message & BetaMessage => message;
const asEvent = (event: Exclude<MessageEvent, { type: 'ping' }>): RawMessageStreamEvent & BetaRawMessageStreamEvent =>
  event;

describe('a message object', () => {
  const usage = toUsageCounts(done());

  it('has every field of the SDK', () => {
    const message = toMessageObject({ id: 'msg_1', model: 'tiny' }, [textBlock('Hi')], toStopFields(finish()), usage);
    expect(asMessage(message)).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'tiny',
      content: [{ type: 'text', text: 'Hi', citations: [] }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      context_management: null,
      diagnostics: null,
      usage: {
        input_tokens: 8,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 4,
        output_tokens: 3,
        output_tokens_details: { thinking_tokens: 0 },
        server_tool_use: null,
        fallback_credit: null,
        iterations: null,
        cache_creation: null,
        inference_geo: null,
        service_tier: null,
        speed: null,
      },
    });
  });

  it('has every field of the SDK in its stream', () => {
    const started = asEvent({
      type: 'content_block_start',
      index: 0,
      content_block: toolUseBlock('toolu_1', 'add', {}),
    });
    expect(started).toMatchObject({ content_block: { input: {}, caller: { type: 'direct' } } });
    expect(
      asEvent({ type: 'message_delta', delta: { ...RUNNING, container: null }, context_management: null, usage }),
    ).toMatchObject({
      delta: { stop_reason: null, stop_sequence: null, stop_details: null, container: null },
    });
  });
});

describe('usage', () => {
  it('counts the tokens of the prompt once: those from the cache are no input tokens', () => {
    const counts = toUsageCounts(
      done({ promptTokens: 100, cachedTokens: 90, completionTokens: 7, reasoningTokens: 5 }),
    );
    expect(counts).toMatchObject({
      input_tokens: 10,
      cache_read_input_tokens: 90,
      cache_creation_input_tokens: 0,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 5 },
    });
  });
});

describe('a stop', () => {
  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['tool_calls', 'tool_use'],
    ['content_filter', 'refusal'],
  ] as const)('after %s is %s', (reason, stop_reason) => {
    expect(toStopFields(finish(reason))).toMatchObject({ stop_reason, stop_sequence: null });
  });

  it('at a stop sequence names it', () => {
    expect(toStopFields({ ...finish(), stopSequence: 'END' })).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    });
  });

  it('of a filtered reply has details', () => {
    expect(toStopFields(finish('content_filter')).stop_details).toMatchObject({ type: 'refusal' });
    expect(toStopFields(finish()).stop_details).toBeNull();
  });
});
