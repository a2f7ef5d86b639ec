import type { ToolCall } from '../../contract/prompt.ts';
import type { ContentPart, Message } from '../generation/conversation.ts';
import { textContent } from '../generation/conversation.ts';
import { toArguments } from '../generation/custom-tool.ts';
import type { ChatRequest } from './schema.ts';

type ChatMessage = ChatRequest['messages'][number];
type ChatPart = Exclude<NonNullable<ChatMessage['content']>, string>[number];

/** The role that a message of this role gets. */
const ROLE_HERE = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
} as const;

/** Translates a message of a chat request; `index` is its place there. */
export function fromChatMessage(message: ChatMessage, index: number): Message {
  const thoughts = message.role === 'assistant' ? toThoughts(message) : '';
  return {
    role: ROLE_HERE[message.role],
    content: toContent(message, `messages[${index}].content`),
    ...(typeof message.name === 'string' && { name: message.name }),
    ...(message.tool_calls && { tool_calls: message.tool_calls.map(toToolCall) }),
    ...(typeof message.tool_call_id === 'string' && { tool_call_id: message.tool_call_id }),
    ...(thoughts !== '' && { reasoning_content: thoughts }),
  };
}

function toToolCall(call: NonNullable<ChatMessage['tool_calls']>[number]): ToolCall {
  if (call.type !== 'custom') return { ...call, type: 'function' };
  const { name, input } = call.custom as { name: string; input: string };
  return { id: call.id, type: 'function', function: { name, arguments: toArguments(input) } };
}

/** Returns the reasoning before a message. Servers and clients have different fields for it. */
function toThoughts({ reasoning_content, reasoning, content }: ChatMessage): string {
  const parts = Array.isArray(content) ? content : [];
  const inParts = parts.map((part) => (part.type === 'thinking' ? toText(part.thinking) : '')).join('');
  return reasoning_content || reasoning || inParts;
}

function toText(thinking: string | { text: string }[]): string {
  return typeof thinking === 'string' ? thinking : thinking.map(({ text }) => text).join('');
}

function toContent({ content, refusal }: ChatMessage, param: string): ContentPart[] | null {
  if (Array.isArray(content)) return content.flatMap((part, index) => toParts(part, `${param}[${index}]`));
  const text = content ?? refusal;
  return typeof text === 'string' ? textContent(text) : null;
}

function toParts(part: ChatPart, param: string): ContentPart[] {
  switch (part.type) {
    case 'text':
      return textContent(part.text);
    case 'refusal':
      return textContent(part.refusal);
    case 'thinking':
      return [];
    case 'image_url': {
      const { url, detail } = typeof part.image_url === 'string' ? { url: part.image_url } : part.image_url;
      return [{ kind: 'media', media: { kind: 'image', url, ...(detail === 'low' && { detail }) }, param }];
    }
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return [{ kind: 'media', media: { kind: 'audio', data, format }, param }];
    }
    default:
      return part satisfies never;
  }
}
