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
 * A conversation to continue, as every dialect of the API asks for it. Each dialect translates its own body into this. What
 * is absent comes from the model's own defaults.
 */
export interface Conversation {
  messages: Message[];
  /** True if the reply goes on with the last message, which is the model's own. */
  continues?: boolean;
  /** The client's field that has the messages, for errors. The default is `messages`. */
  param?: string;
  tools: Tool[];
  /** The client's field with the schema of each tool, for errors. The default is where OpenAI's chats have it. */
  toolParams?: string[];
  toolChoice: ToolChoice;
  /** The names of the tools that may be called, where not all of `tools` may. The model is shown all of them. */
  allowedTools?: string[] | undefined;
  parallelToolCalls: boolean;
  replyFormat: ReplyFormat;
  /** How much the model may think before it answers, in OpenAI's words; undefined leaves it to the template. */
  reasoningEffort?: string | undefined;
  /** Extra variables for the chat template. */
  templateKwargs: Record<string, unknown>;
  sampling: SamplingFields;
  /** The most tokens of one reply. Undefined takes the model's own limit, null sets none. */
  maxTokens: number | null | undefined;
  /** The most likely alternatives to tell with each token; null tells no probabilities. */
  logprobs: number | null;
}

/** What every dialect tells of a tool. */
interface ClientTool {
  name: string;
  description?: string | null | undefined;
  parameters?: Tool['parameters'] | null | undefined;
}

/** The one part of a message that is a text. */
export function textContent(text: string): ContentPart[] {
  return [{ kind: 'text', text }];
}

/** A tool of the client's, without what it leaves out. */
export function toTool({ name, description, parameters }: ClientTool): Tool {
  return { name, ...(description && { description }), ...(parameters && { parameters }) };
}

/**
 * Checks that each tool has a name of its own. Throws a 400 `ApiError` that names the field: `param` tells that of a tool's
 * name.
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
 * Checks which tools may or must be called against the tools that there are. Throws a 400 `ApiError` that names `param` if a
 * call is asked for that is not possible.
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

/** Checks that all these names are those of tools. Throws a 400 `ApiError` that names `param`. */
export function checkNames(names: string[], tools: Tool[], param = 'tool_choice'): string[] {
  const known = new Set(tools.map(({ name }) => name));
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return names;
  throw invalidRequest(`${param} names the function '${unknown}', which is not among the tools.`, param);
}
