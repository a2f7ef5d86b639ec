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
  /** The reasoning before this message. Templates that support reasoning read it. */
  reasoning_content?: string;
}

/** The tools that the model may or must call. */
export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

/**
 * A conversation to continue. The model's chat template turns it into text; its chat format finds calls and reasoning
 * in the reply.
 */
export interface ChatPrompt {
  kind: 'chat';
  messages: ChatMessage[];
  /**
   * True if the reply continues the last message. The last message is then the model's own, has text, and has no tool
   * calls.
   */
  continues?: boolean;
  tools: Tool[];
  /** The request field with the schema of each tool, for error messages. The default is the field of OpenAI's chats. */
  toolParams?: string[];
  toolChoice: ToolChoice;
  /** The names of the tools that may be called; absent if all may. The prompt shows all of `tools`. */
  allowedTools?: string[];
  parallelToolCalls: boolean;
  /** Extra variables for the chat template. */
  templateKwargs: Record<string, unknown>;
  /** True if reasoning is to be a part of the content, between the marks of the model's family. */
  thoughtsInContent?: boolean;
}

/** The prompt to continue: a conversation, plain text, tokens, the gap between two texts, or a question of a decision. */
export type Prompt =
  | ChatPrompt
  | { kind: 'text'; text: string }
  | { kind: 'tokens'; tokens: number[] }
  | InfillPrompt
  | DecisionPrompt;

/** A question that a decision model's own template, `tokenizer.chat_template.systemone`, turns into text. */
export interface DecisionPrompt {
  kind: 'decision';
  /** The variables of the template. `questions` lists all questions of the request, for the templates that show them. */
  values: DecisionValues & { state: string | object | null; images: never[]; questions?: DecisionValues[] };
}

/** A question as the templates of decision models get it. */
export interface DecisionValues {
  id: string;
  type: 'noul' | 'choice' | 'score';
  instructions: string | object;
  options: { key: string; description: string | object | null; label?: string }[];
}

/** The gap between two texts. */
export interface InfillPrompt {
  kind: 'infill';
  prefix: string;
  suffix: string;
  /** Other files, for context, which the prompt begins with. */
  files?: { name: string; text: string }[];
  /** The request field with the suffix, for the error of a model that can't infill. The default is `suffix`. */
  param?: string;
}

/** A part of a prompt. */
export interface TextPart {
  text: string;
  /** True if the client's text spells control tokens. The whole part must then become ordinary tokens. */
  literal: boolean;
}
