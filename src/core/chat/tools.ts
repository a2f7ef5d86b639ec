import type { ChatMessage, ChatPrompt } from '../runner.ts';
import type { ChatFormat, Tool } from './formats/format.ts';
import { describeTools, supportsToolCalls, supportsTools } from './formats/index.ts';

/** The tools that the model gets to see and may call: none, the one that is named, or all. */
export function visibleTools({ tools, toolChoice }: ChatPrompt): Tool[] {
  if (toolChoice === 'none') return [];
  return typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
}

/** Whether a reply may have several calls. A tool that is named is called once: that is what clients name it for. */
export function allowsSeveralCalls({ toolChoice, parallelToolCalls }: ChatPrompt): boolean {
  return parallelToolCalls && typeof toolChoice !== 'object';
}

/** A conversation as a template takes it: what the template does not write of tools is written into the messages. */
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

/** A tool call or its result as plain text, for a template that knows neither. */
function writeOut({ tool_calls: calls = [], ...message }: ChatMessage, format: ChatFormat): ChatMessage {
  if (message.role === 'tool') return { role: 'user', content: `Result of the function:\n${message.content ?? ''}` };
  if (calls.length === 0) return message;
  const text = format.writeCalls(calls.map((call) => call.function));
  return { ...message, content: [message.content, text].filter(Boolean).join('\n') };
}

/** Results that became user messages may stand beside each other; templates without tools want the roles to alternate. */
function joinNeighbours(messages: ChatMessage[]): ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role !== 'user' || message.role !== 'user') joined.push(message);
    else joined[joined.length - 1] = { ...last, content: `${last.content ?? ''}\n\n${message.content ?? ''}` };
  }
  return joined;
}

/** Puts an instruction into the system message or, where the template has no such role, before the first user's words. */
function withInstruction(messages: ChatMessage[], text: string, template = ''): ChatMessage[] {
  const role = /system role not supported/i.test(template) ? 'user' : 'system';
  const [first, ...rest] = messages;
  if (first?.role !== role) return [{ role, content: text }, ...messages];
  const content = first.content ?? '';
  const parts = role === 'system' ? [content, text] : [text, content];
  return [{ ...first, content: parts.join('\n\n') }, ...rest];
}
