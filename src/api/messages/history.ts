import { invalidRequest } from '../../contract/errors.ts';
import type { ToolCall } from '../../contract/prompt.ts';
import type { ContentPart, Message } from '../generation/conversation.ts';
import type { CountTokensRequest } from './schema.ts';

type RequestMessage = CountTokensRequest['messages'][number];
type UserBlock = BlockOf<Extract<RequestMessage, { role: 'user' }>['content']>;
type AssistantBlock = BlockOf<Extract<RequestMessage, { role: 'assistant' }>['content']>;
type TextBlock = Extract<UserBlock, { type: 'text' }>;
type ResultBlock = Extract<UserBlock, { type: 'tool_result' }>;
type ImageSource = Extract<UserBlock, { type: 'image' }>['source'];
type DocumentBlock = Extract<UserBlock, { type: 'document' }>;
/** The content of a user message or of a tool result. */
type ShownBlock = Exclude<UserBlock, ResultBlock> | BlockOf<ResultBlock['content']>;
type BlockOf<C> = Extract<C, readonly unknown[]>[number];

/** The text between two joined blocks. */
const SEPARATOR = '\n\n';

/**
 * Claude Code begins its system prompt with a line for billing that differs in every request. It would void the prompt
 * cache.
 */
const BILLING = 'x-anthropic-billing-header:';

/**
 * Turns the system prompt and the messages of a request into a conversation's messages.
 *
 * Templates take one system message, first: all system texts before the first turn become that one. A later one becomes
 * a user message in its place, because moving it to the front would void the prompt cache. Consecutive messages of one
 * role are one turn, as in Anthropic's API. Throws a 400 `ApiError` for a document that can't be read as text.
 */
export function fromAnthropicMessages({
  system,
  messages,
}: Pick<CountTokensRequest, 'system' | 'messages'>): Message[] {
  const firstTurn = messages.findIndex(({ role }) => role !== 'system');
  const turns = firstTurn === -1 ? messages.length : firstTurn;
  const instructions = [system, ...messages.slice(0, turns).map(({ content }) => content as typeof system)];
  const systemText = instructions.flatMap(systemTexts).join(SEPARATOR);
  const names = toolNames(messages);
  const history = messages.slice(turns).flatMap((message, index) => toTurn(message, turns + index, names));
  return joinNeighbours([...(systemText === '' ? [] : [textMessage('system', systemText)]), ...history]);
}

function toTurn(message: RequestMessage, index: number, names: Map<string, string>): Message[] {
  const param = `messages[${index}].content`;
  switch (message.role) {
    case 'user':
      return toUserTurn(blocksOf<UserBlock>(message.content), param, names);
    case 'assistant':
      return toAssistantTurn(blocksOf<AssistantBlock>(message.content));
    case 'system':
      return systemTexts(message.content).map((text) => textMessage('user', text));
    default:
      return message satisfies never;
  }
}

/** The results of tools come first: they follow the calls of the turn before. */
function toUserTurn(blocks: UserBlock[], param: string, names: Map<string, string>): Message[] {
  const results: Message[] = [];
  const content: ContentPart[] = [];
  for (const [index, block] of blocks.entries()) {
    const place = `${param}[${index}]`;
    if (block.type === 'tool_result') results.push(toToolMessage(block, place, names));
    else content.push(...toParts(block, place));
  }
  return content.length > 0 ? [...results, { role: 'user', content: joinTexts(content) }] : results;
}

function toToolMessage(block: ResultBlock, param: string, names: Map<string, string>): Message {
  const { tool_use_id: id, is_error: isError } = block;
  const parts = blocksOf<BlockOf<ResultBlock['content']>>(block.content ?? []).flatMap((inner, index) =>
    toParts(inner, `${param}.content[${index}]`),
  );
  const name = names.get(id);
  return {
    role: 'tool',
    content: joinTexts(isError ? [{ kind: 'text', text: 'Error:' }, ...parts] : parts),
    tool_call_id: id,
    ...(name !== undefined && { name }),
  };
}

function toAssistantTurn(blocks: AssistantBlock[]): Message[] {
  const content = blocks.flatMap((block) => (block.type === 'text' ? toParts(block, '') : []));
  const reasoning = blocks.flatMap((block) => (block.type === 'thinking' && block.thinking ? [block.thinking] : []));
  const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [toToolCall(block)] : []));
  if (content.length === 0 && calls.length === 0 && reasoning.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: content.length > 0 ? joinTexts(content) : null,
      ...(reasoning.length > 0 && { reasoning_content: reasoning.join(SEPARATOR) }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

function toToolCall({ id, name, input }: Extract<AssistantBlock, { type: 'tool_use' }>): ToolCall {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

/** Returns the tool name of each call by its id: some templates write it with the result. */
function toolNames(messages: RequestMessage[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue;
    for (const block of blocksOf<AssistantBlock>(content))
      if (block.type === 'tool_use') names.set(block.id, block.name);
  }
  return names;
}

function toParts(block: ShownBlock, param: string): ContentPart[] {
  switch (block.type) {
    case 'text':
      return textPart(block.text);
    case 'image':
      return [{ kind: 'media', media: { kind: 'image', url: imageUrl(block.source) }, param }];
    case 'document':
      return documentParts(block, param);
    case 'search_result':
      return textPart([block.title, block.source, ...block.content.map(({ text }) => text)].join('\n'));
    case 'tool_reference':
      return textPart(`Tool: ${block.tool_name}`);
    default:
      return block satisfies never;
  }
}

function textPart(text: string): ContentPart[] {
  return text === '' ? [] : [{ kind: 'text', text }];
}

function imageUrl(source: ImageSource): string {
  return source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
}

function documentParts({ source, title, context }: DocumentBlock, param: string): ContentPart[] {
  const head = textPart([title, context].filter(Boolean).join('\n'));
  switch (source.type) {
    case 'text':
      return [...head, ...textPart(source.data)];
    case 'content': {
      const blocks = blocksOf<BlockOf<typeof source.content>>(source.content);
      return [...head, ...blocks.flatMap((block, index) => toParts(block, `${param}.source.content[${index}]`))];
    }
    default: {
      const kind = source.type === 'file' ? 'a stored file' : 'a PDF';
      const message = `${param}.source is ${kind}, which is not supported: send the document's text, in a source of type text.`;
      throw invalidRequest(message, `${param}.source`, 'unsupported_content');
    }
  }
}

/** Returns the texts of a system prompt without the billing line. */
function systemTexts(content: string | TextBlock[] | null | undefined): string[] {
  if (typeof content === 'string')
    return [content.startsWith(BILLING) ? afterFirstLine(content) : content].filter(Boolean);
  return (content ?? []).map(({ text }) => text).filter((text) => text !== '' && !text.startsWith(BILLING));
}

function afterFirstLine(text: string): string {
  const end = text.indexOf('\n');
  return end === -1 ? '' : text.slice(end + 1).trimStart();
}

function textMessage(role: 'system' | 'user', text: string): Message {
  return { role, content: [{ kind: 'text', text }] };
}

function blocksOf<B>(content: string | B[]): (B | TextBlock)[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Joins neighbouring user messages, and an assistant message to one before it that calls nothing. */
function joinNeighbours(messages: Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last && belongTogether(last, message)) joined[joined.length - 1] = joinMessages(last, message);
    else joined.push(message);
  }
  return joined;
}

function belongTogether(first: Message, second: Message): boolean {
  if (first.role !== second.role) return false;
  return first.role === 'user' || (first.role === 'assistant' && !first.tool_calls && !second.reasoning_content);
}

function joinMessages(first: Message, second: Message): Message {
  const content = joinTexts([...(first.content ?? []), ...(second.content ?? [])]);
  return { ...first, ...second, content: content.length > 0 ? content : null };
}

/** Joins consecutive texts into one. */
function joinTexts(parts: ContentPart[]): ContentPart[] {
  const joined: ContentPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.kind === 'text' && part.kind === 'text')
      joined[joined.length - 1] = { kind: 'text', text: last.text + SEPARATOR + part.text };
    else joined.push(part);
  }
  return joined;
}
