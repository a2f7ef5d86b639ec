import * as v from 'valibot';
import type { ForeignChat, ForeignMessage } from './foreign.ts';

// The format of `conversations.json` in the archive of ChatGPT's "Export data". Times are in s.

const seconds = v.nullish(v.number(), null);

const content = v.object({
  content_type: v.string(),
  parts: v.optional(v.array(v.unknown()), []),
  thoughts: v.optional(v.array(v.object({ content: v.optional(v.string(), '') })), []),
});

const message = v.object({
  author: v.object({ role: v.string() }),
  create_time: seconds,
  content,
  recipient: v.nullish(v.string(), 'all'),
  metadata: v.nullish(
    v.object({
      model_slug: v.nullish(v.string()),
      is_visually_hidden_from_conversation: v.nullish(v.boolean(), false),
    }),
  ),
});

const node = v.object({
  id: v.string(),
  parent: v.nullish(v.string(), null),
  message: v.nullish(message, null),
});

const conversation = v.object({
  id: v.optional(v.string()),
  conversation_id: v.optional(v.string()),
  title: v.nullish(v.string(), ''),
  create_time: seconds,
  update_time: seconds,
  current_node: v.nullish(v.string(), null),
  mapping: v.record(v.string(), node),
});

/** Parses ChatGPT's export to its chats. */
export const chatGptExport = v.pipe(
  v.array(conversation),
  v.transform((all) => all.map(toForeign)),
);

function toForeign(chat: v.InferOutput<typeof conversation>, index: number): ForeignChat {
  const createdAt = toMs(chat.create_time) ?? 0;
  return {
    id: chat.conversation_id ?? chat.id ?? `chatgpt-${createdAt}-${index}`,
    title: chat.title ?? '',
    system: '',
    createdAt,
    updatedAt: toMs(chat.update_time) ?? createdAt,
    messages: Object.values(chat.mapping).map(toMessage),
    shown: chat.current_node,
  };
}

function toMessage({ id, parent, message: own }: v.InferOutput<typeof node>): ForeignMessage {
  const role = own?.author.role;
  return {
    id,
    parent,
    time: toMs(own?.create_time ?? null),
    said: own && (role === 'user' || role === 'assistant') ? saidIn(own, role) : null,
    reasoning: (own?.content.thoughts ?? []).map((thought) => thought.content).join('\n\n'),
  };
}

/** Returns the message of a person or the model; null for tool calls and for messages that ChatGPT does not show. */
function saidIn(
  { content: { content_type, parts }, recipient, metadata }: v.InferOutput<typeof message>,
  role: 'user' | 'assistant',
): ForeignMessage['said'] {
  if (recipient !== 'all' || metadata?.is_visually_hidden_from_conversation) return null;
  if (content_type !== 'text' && content_type !== 'multimodal_text') return null;
  // Pictures and recordings are separate files beside the export.
  const texts = parts.map((part) => (typeof part === 'string' ? part : '(A file that is not in the export.)'));
  const text = texts.join('\n\n').trim();
  if (text === '') return null;
  return role === 'user' ? { role, text, images: [] } : { role, text, model: metadata?.model_slug ?? 'ChatGPT' };
}

function toMs(time: number | null): number | null {
  return time === null ? null : Math.round(time * 1000);
}
