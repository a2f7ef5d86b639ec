import type { ChoiceFinished, GenerationEvent } from '../../contract/events.ts';
import { newPrefixedId } from '../generation/ids.ts';
import type { GenerationStreamEvent, StreamEncoding } from '../stream/event-stream.ts';
import { sseComment, sseTypedEvent } from '../stream/sse.ts';
import { anthropicErrors } from './errors.ts';
import {
  type ContentBlock,
  type MessageHead,
  type MessageObject,
  RUNNING,
  SIGNATURE,
  type Stop,
  textBlock,
  toMessageObject,
  toolUseBlock,
  toStopFields,
  toUsageCounts,
  type UsageCounts,
} from './message-object.ts';

type BlockDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; thinking: string; estimated_tokens: null }
  | { type: 'signature_delta'; signature: string }
  | { type: 'input_json_delta'; partial_json: string };

/** An event of a message's stream. `index` counts the blocks of the message from 0. */
export type MessageEvent =
  | { type: 'message_start'; message: MessageObject }
  | { type: 'content_block_start'; index: number; content_block: ContentBlock }
  | { type: 'content_block_delta'; index: number; delta: BlockDelta }
  | { type: 'content_block_stop'; index: number }
  | { type: 'message_delta'; delta: Stop & { container: null }; context_management: null; usage: UsageCounts }
  | { type: 'message_stop' }
  | { type: 'ping' };

/** Returns the encoding of a message's stream. `requestId` is for an error event. */
export function messageEncoding(head: MessageHead, requestId: string): StreamEncoding<GenerationEvent> {
  const toEvents = createMessageEvents(head);
  return {
    encode: (event) =>
      event.kind === 'pause' ? sseComment(event.reason) : toEvents(event).map(sseTypedEvent).join(''),
    encodeError: (error) => sseTypedEvent({ type: 'error', ...anthropicErrors.body(error, requestId) }),
    closing: '',
    isLast: ({ kind }) => kind === 'done',
  };
}

/**
 * Turns the events of a generation into those of a message, one at a time. The message begins when the tokens of its
 * prompt are known. Until then, there are only pings, which clients ignore. The later steps of a long prefill are pings
 * too.
 */
export function createMessageEvents(head: MessageHead): (event: GenerationStreamEvent) => MessageEvent[] {
  const blocks = createBlocks();
  let started = false;
  let finished: ChoiceFinished | undefined;

  const start = (promptTokens: number, cachedTokens: number): MessageEvent[] => {
    started = true;
    const usage = toUsageCounts({ promptTokens, cachedTokens, completionTokens: 0 });
    return [{ type: 'message_start', message: toMessageObject(head, [], RUNNING, usage) }];
  };

  return (event) => {
    switch (event.kind) {
      case 'ping':
        return [{ type: 'ping' }];
      case 'progress':
        return started ? [{ type: 'ping' }] : start(event.total, event.cache);
      case 'text':
        return event.text === '' ? [] : blocks.text(event.text);
      case 'reasoning':
        return blocks.thinking(event.text);
      case 'toolCall':
        return blocks.open(toolUseBlock(newPrefixedId('toolu'), event.name, {}));
      case 'toolArguments':
        return blocks.add({ type: 'input_json_delta', partial_json: event.text });
      case 'finish':
        finished = event;
        return blocks.close();
      case 'done': {
        const stop = finished ? toStopFields(finished) : RUNNING;
        const delta = { ...stop, container: null };
        const usage = toUsageCounts(event);
        return [{ type: 'message_delta', delta, context_management: null, usage }, { type: 'message_stop' }];
      }
      case 'pause':
        return [];
      case 'overflow':
        throw new Error('the overflow policy lets no such event through');
      default:
        return event satisfies never;
    }
  };
}

/**
 * Makes the events of a message's blocks, which follow one another. Each function closes the block before if need be.
 */
function createBlocks() {
  let index = -1;
  let current: ContentBlock['type'] | null = null;

  const add = (delta: BlockDelta): MessageEvent[] => [{ type: 'content_block_delta', index, delta }];
  const close = (): MessageEvent[] => {
    if (current === null) return [];
    const signature = current === 'thinking' ? add({ type: 'signature_delta', signature: SIGNATURE }) : [];
    current = null;
    return [...signature, { type: 'content_block_stop', index }];
  };
  const open = (block: ContentBlock): MessageEvent[] => {
    const closed = close();
    index += 1;
    current = block.type;
    return [...closed, { type: 'content_block_start', index, content_block: block }];
  };

  return {
    add,
    close,
    open,
    text: (text: string): MessageEvent[] => [
      ...(current === 'text' ? [] : open(textBlock(''))),
      ...add({ type: 'text_delta', text }),
    ],
    thinking: (thinking: string): MessageEvent[] => [
      ...(current === 'thinking' ? [] : open({ type: 'thinking', thinking: '', signature: '' })),
      ...add({ type: 'thinking_delta', thinking, estimated_tokens: null }),
    ],
  };
}
