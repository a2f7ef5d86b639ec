import type { GenerationDone } from '../../contract/events.ts';
import { parseObject } from '../../utils/json.ts';
import type { CollectedReply } from '../generation/collect.ts';
import { newPrefixedId } from '../generation/ids.ts';
import {
  type ContentBlock,
  type MessageHead,
  SIGNATURE,
  textBlock,
  toMessageObject,
  toolUseBlock,
  toStopFields,
  toUsageCounts,
} from './message-object.ts';

/** Builds the reply to a request that does not stream. */
export function toWholeMessage(head: MessageHead, reply: CollectedReply, done: GenerationDone) {
  return toMessageObject(head, toContent(reply), toStopFields(reply.finish), toUsageCounts(done));
}

function toContent({ reasoning, content, toolCalls }: CollectedReply): ContentBlock[] {
  return [
    ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: SIGNATURE } as const]),
    ...(content === '' ? [] : [textBlock(content)]),
    ...toolCalls.flatMap(toToolUse),
  ];
}

/**
 * Returns the block of a call. A call that `max_tokens` has cut off is left out: a client must not run a call with a
 * part of its input. The stop reason shows that the reply was cut off.
 */
function toToolUse({ name, arguments: text }: CollectedReply['toolCalls'][number]): ContentBlock[] {
  const input = parseObject(text);
  return input ? [toolUseBlock(newPrefixedId('toolu'), name, input)] : [];
}
