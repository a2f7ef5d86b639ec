import { invalidRequest } from '../../contract/errors.ts';
import { type ContentPart, type Message, textContent } from '../generation/conversation.ts';
import { toMediaParts } from './images.ts';
import type { OllamaChatBody } from './schema.ts';

type ChatMessage = NonNullable<OllamaChatBody['messages']>[number];

/** A call whose result has not come yet. */
interface OpenCall {
  id: string;
  name: string;
  /** The client's own id for the call. */
  given: string | null | undefined;
}

/**
 * Translates the history of a chat. Ollama's calls and results need no ids, but templates do. The ids count the calls,
 * so that the prompt of each turn begins with the prompt of the turn before. A result belongs to the call with its id
 * or name, else to the first call without a result. Throws a 400 `ApiError` for a message without content.
 */
export function fromOllamaMessages(messages: ChatMessage[]): Message[] {
  let open: OpenCall[] = [];
  let calls = 0;
  return messages.map((message, index) => {
    const param = `messages[${index}]`;
    const content = toContent(message, param);
    if (message.role === 'tool') {
      const call = takeCall(open, message);
      const name = message.tool_name ?? call?.name;
      return { role: 'tool', content, ...(name && { name }), ...(call && { tool_call_id: call.id }) };
    }
    const made = (message.tool_calls ?? []).map(({ id, function: { name, arguments: given } }) => ({
      given: id,
      id: `call_${calls++}`,
      name,
      text: JSON.stringify(given ?? {}),
    }));
    if (made.length > 0) open = [...made];
    return {
      role: message.role,
      content,
      ...(message.thinking && { reasoning_content: message.thinking }),
      ...(made.length > 0 && {
        tool_calls: made.map(({ id, name, text }) => ({ id, type: 'function', function: { name, arguments: text } })),
      }),
    };
  });
}

function takeCall(open: OpenCall[], { tool_call_id: id, tool_name: name }: ChatMessage): OpenCall | undefined {
  const byId = id ? open.findIndex(({ given }) => given === id) : -1;
  const byName = byId === -1 && name ? open.findIndex((call) => call.name === name) : byId;
  return open.splice(byName === -1 ? 0 : byName, 1)[0];
}

/** Returns a message's content. Images have no place within the text, so they come before it. */
function toContent({ role, content, images }: ChatMessage, param: string): ContentPart[] | null {
  const media = toMediaParts(images, `${param}.images`);
  if (typeof content === 'string') return [...media, ...textContent(content)];
  if (media.length === 0 && role !== 'assistant')
    throw invalidRequest(`${param}.content is required.`, `${param}.content`);
  return media.length > 0 ? media : null;
}
