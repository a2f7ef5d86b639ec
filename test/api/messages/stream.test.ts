import { describe, expect, it } from 'vitest';
import { messageEncoding } from '../../../src/api/messages/stream.ts';
import type { GenerationStreamEvent } from '../../../src/api/stream/event-stream.ts';
import { modelNotFound } from '../../../src/contract/errors.ts';
import type { FinishReason } from '../../../src/contract/events.ts';
import { done, finish, progress, reasoning, text, toolArguments, toolCall } from '../fixtures.ts';
import { eventsOf } from './fixtures.ts';

const head = { id: 'msg_1', model: 'tiny' };

function encode(...events: GenerationStreamEvent[]): string {
  return events.map(messageEncoding(head, 'req-1').encode).join('');
}

/** The events of a reply whose prompt has 12 tokens, 4 of them cached, with its first and last events. */
function reply(pieces: GenerationStreamEvent[], reason: FinishReason = 'stop', stopSequence?: string) {
  const end = { ...finish(reason), ...(stopSequence !== undefined && { stopSequence }) };
  return eventsOf(encode(progress(12, 12, 4), ...pieces, end, done()));
}

const usage = (output_tokens: number) => ({
  input_tokens: 8,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 4,
  output_tokens,
  output_tokens_details: { thinking_tokens: 0 },
  server_tool_use: null,
  fallback_credit: null,
  iterations: null,
});

const START = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'tiny',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    context_management: null,
    diagnostics: null,
    usage: { ...usage(0), cache_creation: null, inference_geo: null, service_tier: null, speed: null },
  },
};

const ending = (stop_reason: string, stop_sequence: string | null = null) => [
  {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence, stop_details: null, container: null },
    context_management: null,
    usage: usage(3),
  },
  { type: 'message_stop' },
];

const open = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const openText = (index: number) => open(index, { type: 'text', text: '', citations: [] });
const openThinking = (index: number) => open(index, { type: 'thinking', thinking: '', signature: '' });
const openCall = (index: number, name: string) =>
  open(index, {
    type: 'tool_use',
    id: expect.stringMatching(/^toolu_\w{24}$/),
    name,
    input: {},
    caller: { type: 'direct' },
  });
const delta = (index: number, type: string, field: string, value: string) => ({
  type: 'content_block_delta',
  index,
  delta: { type, [field]: value },
});
const textDelta = (index: number, value: string) => delta(index, 'text_delta', 'text', value);
const inputDelta = (index: number, value: string) => delta(index, 'input_json_delta', 'partial_json', value);
const thinkingDelta = (index: number, thinking: string) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'thinking_delta', thinking, estimated_tokens: null },
});
const SIGNED = delta(0, 'signature_delta', 'signature', 'paddock');
const close = (index: number) => ({ type: 'content_block_stop', index });

describe('the stream of a message', () => {
  it('of text', () => {
    expect(reply([text('Hel'), text('lo')])).toEqual([
      START,
      openText(0),
      textDelta(0, 'Hel'),
      textDelta(0, 'lo'),
      close(0),
      ...ending('end_turn'),
    ]);
  });

  it('of thinking and text: the thinking is signed at its end', () => {
    expect(reply([reasoning('Hm'), reasoning('.'), text('Yes')])).toEqual([
      START,
      openThinking(0),
      thinkingDelta(0, 'Hm'),
      thinkingDelta(0, '.'),
      SIGNED,
      close(0),
      openText(1),
      textDelta(1, 'Yes'),
      close(1),
      ...ending('end_turn'),
    ]);
  });

  it('of thinking that is cut', () => {
    expect(reply([reasoning('Hm')], 'length')).toEqual([
      START,
      openThinking(0),
      thinkingDelta(0, 'Hm'),
      SIGNED,
      close(0),
      ...ending('max_tokens'),
    ]);
  });

  it('of text and a call', () => {
    const pieces = [text('Let me see.'), toolCall('add'), toolArguments('{"a":'), toolArguments(' 1}')];
    expect(reply(pieces, 'tool_calls')).toEqual([
      START,
      openText(0),
      textDelta(0, 'Let me see.'),
      close(0),
      openCall(1, 'add'),
      inputDelta(1, '{"a":'),
      inputDelta(1, ' 1}'),
      close(1),
      ...ending('tool_use'),
    ]);
  });

  it('of two calls, each with an id of its own', () => {
    const pieces = [toolCall('add', 0), toolArguments('{"a": 1}', 0), toolCall('list', 1), toolArguments('{}', 1)];
    const events = reply(pieces, 'tool_calls');
    expect(events).toEqual([
      START,
      openCall(0, 'add'),
      inputDelta(0, '{"a": 1}'),
      close(0),
      openCall(1, 'list'),
      inputDelta(1, '{}'),
      close(1),
      ...ending('tool_use'),
    ]);
    const ids = events.flatMap((event) =>
      event.type === 'content_block_start' && event.content_block.type === 'tool_use' ? [event.content_block.id] : [],
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('of a call that is cut: its input ends where the tokens do', () => {
    expect(reply([toolCall('add'), toolArguments('{"a":')], 'length')).toEqual([
      START,
      openCall(0, 'add'),
      inputDelta(0, '{"a":'),
      close(0),
      ...ending('max_tokens'),
    ]);
  });

  it('of text that is cut', () => {
    expect(reply([text('Hel')], 'length')).toEqual([
      START,
      openText(0),
      textDelta(0, 'Hel'),
      close(0),
      ...ending('max_tokens'),
    ]);
  });

  it('of text up to a stop sequence', () => {
    expect(reply([text('Hel')], 'stop', 'END')).toEqual([
      START,
      openText(0),
      textDelta(0, 'Hel'),
      close(0),
      ...ending('stop_sequence', 'END'),
    ]);
  });

  it('of nothing has no blocks, nor has empty text', () => {
    expect(reply([])).toEqual([START, ...ending('end_turn')]);
    expect(reply([text('')])).toEqual([START, ...ending('end_turn')]);
  });

  it('has pings alone while it waits, and for the steps of a long prefill', () => {
    const waiting: GenerationStreamEvent[] = [{ kind: 'ping' }, { kind: 'ping' }];
    const prefill = [progress(4, 12, 4), progress(8, 12, 4), progress(12, 12, 4)];
    const events = eventsOf(encode(...waiting, ...prefill, text('Hi')));
    expect(events.map(({ type }) => type)).toEqual([
      'ping',
      'ping',
      'message_start',
      'ping',
      'ping',
      'content_block_start',
      'content_block_delta',
    ]);
    expect(events[2]).toEqual(START);
  });

  it('says in a comment that another engine takes over', () => {
    expect(encode({ kind: 'pause', reason: 'the engine ended' })).toBe(': the engine ended\n\n');
  });

  it('ends with an event of an error, where there is one midway', () => {
    expect(messageEncoding(head, 'req-1').encodeError?.(modelNotFound('nope').data)).toBe(
      `event: error\ndata: {"type":"error","error":{"type":"not_found_error","message":"The model 'nope' does not exist.",` +
        `"details":{"error_code":"model_not_found"}},"request_id":"req-1"}\n\n`,
    );
  });
});
