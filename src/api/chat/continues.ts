import { invalidRequest, unsupportedParameter } from '../../contract/errors.ts';
import type { Conversation } from '../generation/conversation.ts';
import type { ChatRequest } from './schema.ts';

const FIELD = 'continue_final_message';

/**
 * True if the reply continues the last message. Throws a 400 `ApiError` if that message can't be continued, or if the
 * request has a field that only a new reply can obey.
 */
export function checkContinues(request: ChatRequest, conversation: Conversation): boolean {
  const { continue_final_message: continues, add_generation_prompt: begins } = request;
  if (!continues) {
    if (begins === false)
      throw unsupportedParameter(
        'add_generation_prompt',
        `add_generation_prompt false is only supported with ${FIELD}.`,
      );
    return false;
  }
  if (begins) throw invalidRequest(`${FIELD} and add_generation_prompt can not both be true.`, FIELD);
  checkLastMessage(conversation);
  checkForm(conversation);
  return true;
}

function checkLastMessage({ messages }: Conversation): void {
  const last = messages.at(-1);
  const param = `messages[${messages.length - 1}]`;
  if (last?.role !== 'assistant') throw invalidRequest(`${FIELD} needs a last message of the assistant.`, param);
  if (last.tool_calls?.length)
    throw invalidRequest(`${FIELD} can not go on with a message that has tool_calls.`, param);
  const parts = last.content ?? [];
  if (parts.some(({ kind }) => kind === 'media')) {
    throw invalidRequest(`${FIELD} can not go on with a message that has an image or a recording.`, param);
  }
  const hasWords = parts.some((part) => part.kind === 'text' && part.text !== '');
  if (!hasWords && !last.reasoning_content) throw invalidRequest(`${FIELD} needs a last message with a text.`, param);
}

/** Throws a 400 `ApiError` for fields that need a grammar: a grammar applies from the first character of a reply. */
function checkForm({ replyFormat, toolChoice }: Conversation): void {
  if (replyFormat.kind !== 'text')
    throw invalidRequest(`${FIELD} can not be combined with a format of the reply.`, FIELD);
  if (toolChoice !== 'none' && toolChoice !== 'auto')
    throw invalidRequest(`${FIELD} can not be combined with a tool_choice that forces a call.`, FIELD);
}
