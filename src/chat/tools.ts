import type { ChatMessage, ChatPrompt } from '../contract/prompt.ts';
import type { ChatFormat, Tool } from './formats/format.ts';
import { describeTools, supportsToolCalls, supportsTools } from './formats/index.ts';

/** Returns the tools that the model sees: none, the one that `tool_choice` names, or all. */
export function visibleTools({ tools, toolChoice }: ChatPrompt): Tool[] {
  if (toolChoice === 'none') return [];
  return typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
}

/** Returns the visible tools that the model may call. */
export function callableTools(chat: ChatPrompt): Tool[] {
  const { allowedTools: names } = chat;
  return visibleTools(chat).filter(({ name }) => !names || names.includes(name));
}

/** True if the reply must call a tool. */
export function mustCall({ toolChoice }: ChatPrompt): boolean {
  return toolChoice === 'required' || typeof toolChoice === 'object';
}

/** True if a reply may have several calls. A tool that `tool_choice` names is called once, as its client expects. */
export function allowsSeveralCalls({ toolChoice, parallelToolCalls }: ChatPrompt): boolean {
  return parallelToolCalls && typeof toolChoice !== 'object';
}

/**
 * Adapts a conversation to a template. If the template does not write earlier calls, they become text. If it does not
 * show tools, an instruction describes them, and the returned list of tools is empty.
 */
export function withTools(
  messages: ChatMessage[],
  tools: Tool[],
  template: string | undefined,
  format: ChatFormat,
): { messages: ChatMessage[]; tools: Tool[] } {
  const hasCalls = messages.some(({ role, tool_calls: calls }) => role === 'tool' || calls);
  const written =
    hasCalls && !supportsToolCalls(template)
      ? joinNeighbours(messages.map((message) => writeOut(message, format)))
      : messages;
  if (tools.length === 0 || supportsTools(template)) return { messages: written, tools };
  return { messages: withInstruction(written, describeTools(tools, format), template), tools: [] };
}

/** Writes a message's calls, or the result of a call, as plain text. */
function writeOut({ tool_calls: calls = [], ...message }: ChatMessage, format: ChatFormat): ChatMessage {
  if (message.role === 'tool') return { role: 'user', content: `Result of the function:\n${message.content ?? ''}` };
  if (calls.length === 0) return message;
  const text = format.writeCalls(calls.map((call) => call.function));
  return { ...message, content: [message.content, text].filter(Boolean).join('\n') };
}

/**
 * Joins neighbouring user messages: templates without tools want the roles to alternate, and results are user messages.
 */
function joinNeighbours(messages: ChatMessage[]): ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role !== 'user' || message.role !== 'user') joined.push(message);
    else joined[joined.length - 1] = { ...last, content: `${last.content ?? ''}\n\n${message.content ?? ''}` };
  }
  return joined;
}

/** Adds an instruction to the system message or, if the template has no such role, before the first user message. */
function withInstruction(messages: ChatMessage[], text: string, template = ''): ChatMessage[] {
  const role = /system role not supported/i.test(template) ? 'user' : 'system';
  const [first, ...rest] = messages;
  if (first?.role !== role) return [{ role, content: text }, ...messages];
  const content = first.content ?? '';
  const parts = role === 'system' ? [content, text] : [text, content];
  return [{ ...first, content: parts.join('\n\n') }, ...rest];
}
