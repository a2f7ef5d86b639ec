import type { GenerationDone } from '../../contract/events.ts';
import { parseObject } from '../../utils/json.ts';
import type { Reply } from '../generation/collect.ts';
import { newId } from '../generation/ids.ts';
import {
  type ContentBlock,
  type MessageHead,
  SIGNATURE,
  textBlock,
  toMessageObject,
  toolUseBlock,
  toStop,
  toUsageCounts,
} from './message-object.ts';

/** Builds the reply to a request that does not stream. */
export function toMessage(head: MessageHead, reply: Reply, done: GenerationDone) {
  return toMessageObject(head, toContent(reply), toStop(reply.finish), toUsageCounts(done));
}

function toContent({ reasoning, content, toolCalls }: Reply): ContentBlock[] {
  return [
    ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: SIGNATURE } as const]),
    ...(content === '' ? [] : [textBlock(content)]),
    ...toolCalls.flatMap(toToolUse),
  ];
}

/**
 * A call that `max_tokens` has cut is left out: its input is an object in a whole reply, and no client may run a call with
 * only a part of it. The stop reason tells of the cut.
 */
function toToolUse({ name, arguments: text }: Reply['toolCalls'][number]): ContentBlock[] {
  const input = parseObject(text);
  return input ? [toolUseBlock(newId('toolu'), name, input)] : [];
}
