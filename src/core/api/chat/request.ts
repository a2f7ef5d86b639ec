import type { ReplyFormat, ToolChoice } from '../../runner.ts';
import {
  type ContentPart,
  type Conversation,
  checkToolChoice,
  type Message,
  textContent,
} from '../generation/conversation.ts';
import type { ChatRequest } from './schema.ts';

type ChatMessage = ChatRequest['messages'][number];
type ChatPart = Exclude<NonNullable<ChatMessage['content']>, string>[number];

/** Translates a validated chat request into a conversation. Throws a 400 `ApiError` for a call of a tool that is not there. */
export function toConversation(request: ChatRequest): Conversation {
  const tools = (request.tools ?? []).map(({ function: { name, description, parameters } }) => ({
    name,
    ...(description && { description }),
    ...(parameters && { parameters }),
  }));
  return {
    messages: request.messages.map(toMessage),
    tools,
    toolChoice: checkToolChoice(toToolChoice(request), tools),
    parallelToolCalls: request.parallel_tool_calls ?? true,
    replyFormat: toReplyFormat(request),
    reasoningEffort: request.reasoning_effort ?? undefined,
    templateKwargs: request.chat_template_kwargs ?? {},
    sampling: request,
    maxTokens: toMaxTokens(request),
    logprobs: request.logprobs ? (request.top_logprobs ?? 0) : null,
  };
}

function toToolChoice({ tool_choice: choice }: ChatRequest): ToolChoice | undefined {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined;
  return { name: choice.function.name };
}

function toReplyFormat({ response_format: format }: ChatRequest): ReplyFormat {
  switch (format?.type) {
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema':
      return {
        kind: 'schema',
        schema: format.json_schema.schema ?? {},
        param: 'response_format.json_schema.schema',
      };
    default:
      return { kind: 'text' };
  }
}

/** An explicit null asks for no limit and so overrides the model's own. */
function toMaxTokens({ max_completion_tokens, max_tokens }: ChatRequest): number | null | undefined {
  return max_completion_tokens ?? max_tokens;
}

function toMessage(message: ChatMessage, index: number): Message {
  return {
    role: message.role === 'developer' ? 'system' : message.role,
    content: toContent(message.content, `messages[${index}].content`),
    ...(typeof message.name === 'string' && { name: message.name }),
    ...(message.tool_calls && { tool_calls: message.tool_calls }),
    ...(typeof message.tool_call_id === 'string' && { tool_call_id: message.tool_call_id }),
  };
}

function toContent(content: ChatMessage['content'], param: string): ContentPart[] | null {
  if (!Array.isArray(content)) return typeof content === 'string' ? textContent(content) : null;
  return content.map((part, index) => toPart(part, `${param}[${index}]`));
}

function toPart(part: ChatPart, param: string): ContentPart {
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: part.text };
    case 'image_url': {
      const { url, detail } = part.image_url;
      return { kind: 'media', media: { kind: 'image', url, ...(detail === 'low' && { detail }) }, param };
    }
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return { kind: 'media', media: { kind: 'audio', data, format }, param };
    }
    default:
      return part satisfies never;
  }
}
