import { invalidRequest } from '../../contract/errors.ts';
import type { ReplyFormat } from '../../contract/generation-request.ts';
import type { MediaPart } from '../../contract/media.ts';
import type { ChatMessage, ToolChoice } from '../../contract/prompt.ts';
import type { Tool } from '../../contract/tool.ts';
import type { SamplingFields } from '../fields/sampling.ts';

/** A piece of a message. `param` is the place of an image or recording in the client's request; errors name it. */
export type ContentPart = { kind: 'text'; text: string } | { kind: 'media'; media: MediaPart; param: string };

/** A message of a conversation, before its images and recordings are read. */
export interface Message extends Omit<ChatMessage, 'content' | 'media'> {
  content: ContentPart[] | null;
}

/**
 * A conversation to continue, the same for every dialect of the API: each dialect translates its request body into it.
 * Absent fields get the model's own defaults.
 */
export interface Conversation {
  messages: Message[];
  /** True if the reply continues the last message, which is the model's own. */
  continues?: boolean;
  /** The request field with the messages, for error messages. The default is `messages`. */
  param?: string;
  tools: Tool[];
  /** The request field with the schema of each tool, for error messages. The default is the field of OpenAI's chats. */
  toolParams?: string[];
  toolChoice: ToolChoice;
  /** The names of the tools that may be called; absent if all may. The prompt shows all of `tools`. */
  allowedTools?: string[] | undefined;
  parallelToolCalls: boolean;
  replyFormat: ReplyFormat;
  /** The reasoning effort, by OpenAI's names; undefined leaves it to the template. */
  reasoningEffort?: string | undefined;
  /** The most tokens of a block of reasoning; undefined for no limit. */
  thinkingBudget?: number | undefined;
  /** True if reasoning is to be a part of the content, between the marks of the model's family. */
  thoughtsInContent?: boolean;
  /** Extra variables for the chat template. */
  templateKwargs: Record<string, unknown>;
  sampling: SamplingFields;
  /** The most tokens of one reply. Undefined means the model's own limit, null means no limit. */
  maxTokens: number | null | undefined;
  /** The number of most likely alternatives to return with each token; null returns no probabilities. */
  logprobs: number | null;
}

/** The fields of a tool that all dialects have. */
interface ClientTool {
  name: string;
  description?: string | null | undefined;
  parameters?: Tool['parameters'] | null | undefined;
}

/** Returns a message's content that is one text. */
export function textContent(text: string): ContentPart[] {
  return [{ kind: 'text', text }];
}

/** Returns a tool of a request without its absent fields. */
export function toTool({ name, description, parameters }: ClientTool): Tool {
  return { name, ...(description && { description }), ...(parameters && { parameters }) };
}

/**
 * Returns the tools. Throws a 400 `ApiError` if two tools have the same name. `param` returns the request field of a
 * tool's name, which the error names.
 */
export function checkTools(tools: Tool[], param: (index: number) => string): Tool[] {
  const names = new Set<string>();
  for (const [index, { name }] of tools.entries()) {
    if (names.has(name))
      throw invalidRequest(`${param(index)} is '${name}', as that of a tool before it.`, param(index));
    names.add(name);
  }
  return tools;
}

/**
 * Returns the tool choice. Throws a 400 `ApiError` that names `param` if the choice asks for a call that the tools do
 * not allow.
 */
export function checkToolChoice(choice: ToolChoice | undefined, tools: Tool[], param = 'tool_choice'): ToolChoice {
  if (tools.length === 0) {
    if (choice && choice !== 'none' && choice !== 'auto') throw invalidRequest(`${param} needs tools.`, param);
    return 'none';
  }
  if (typeof choice !== 'object') return choice ?? 'auto';
  checkNames([choice.name], tools, param);
  return choice;
}

/** Returns the names. Throws a 400 `ApiError` that names `param` if a name is not the name of a tool. */
export function checkNames(names: string[], tools: Tool[], param = 'tool_choice'): string[] {
  const known = new Set(tools.map(({ name }) => name));
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return names;
  throw invalidRequest(`${param} names the function '${unknown}', which is not among the tools.`, param);
}
