import type { Media } from './media.ts';
import type { Tool } from './tool.ts';

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A message of a conversation, as engines take it: the role is validated, and the content parts are joined. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  /** The image or recording for each `MEDIA_MARK` of the content, in order. */
  media?: Media[];
  name?: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
  /** What the model thought before it wrote this message. Templates that know reasoning read it. */
  reasoning_content?: string;
}

/** Which tools the model may or must call. */
export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

/**
 * A conversation to continue. The model's chat template turns it into text; its chat format finds calls and reasoning
 * in the reply.
 */
export interface ChatPrompt {
  kind: 'chat';
  messages: ChatMessage[];
  /** True if the reply goes on with the last message, which is the model's own, has words and calls nothing. */
  continues?: boolean;
  tools: Tool[];
  /** The client's field with the schema of each tool, for errors. The default is where OpenAI's chats have it. */
  toolParams?: string[];
  toolChoice: ToolChoice;
  /** The names of the tools that may be called, where not all of `tools` may. The model is shown all of them. */
  allowedTools?: string[];
  parallelToolCalls: boolean;
  /** Extra variables for the chat template. */
  templateKwargs: Record<string, unknown>;
}

/** The prompt to continue: a conversation, plain text, tokens, or the gap between two texts. */
export type Prompt =
  | ChatPrompt
  | { kind: 'text'; text: string }
  | { kind: 'tokens'; tokens: number[] }
  | { kind: 'infill'; prefix: string; suffix: string };

/** A part of a prompt. */
export interface TextPart {
  text: string;
  /** True where a client's text spells control tokens: all of the part must become ordinary tokens. */
  literal: boolean;
}
