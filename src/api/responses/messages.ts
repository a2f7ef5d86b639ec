import { unsupportedParameter } from '../../contract/errors.ts';
import type { ToolCall } from '../../contract/prompt.ts';
import { type ContentPart, type Message, textContent } from '../generation/conversation.ts';
import { toArguments } from '../generation/custom-tool.ts';
import { findOffered, type McpOffer } from '../mcp/offer.ts';
import { type Approval, wordsOfDenial } from './approvals.ts';
import type { ContentItem, InputPart, PlacedItem } from './items.ts';

/** What the items of tools that this server runs depend on. */
export interface McpHistory {
  offer: McpOffer;
  /** The approvals whose calls have not been made, by the ids of their requests. */
  approvals: Map<string, Approval>;
}

/**
 * Turns items into messages. The instructions and the system messages at the beginning become one message, since many
 * templates take only one. The items of one turn of the model become one message too: the template then writes them as
 * the model did, and the prompt continues the tokens in the KV cache. A call that was approved and not made yet gets an
 * empty result. Throws a 400 `ApiError` for files.
 */
export function fromResponseItems(instructions: string | null, items: PlacedItem[], history: McpHistory): Message[] {
  const said = items.findIndex(({ item }) => !isSystem(item));
  const leading = said === -1 ? items.length : said;
  const first = items.slice(0, leading).map(({ item, param }) => toContent(contentOf(item), param));
  const parts = instructions === null ? first : [textContent(instructions), ...first];
  const messages: Message[] = parts.length > 0 ? [{ role: 'system', content: joinParagraphs(parts) }] : [];
  for (const item of items.slice(leading)) addItem(messages, item, history);
  return messages;
}

function isSystem(item: ContentItem): boolean {
  return item.type === 'message' && (item.role === 'system' || item.role === 'developer');
}

function contentOf(item: ContentItem): string | InputPart[] {
  return (item.type === 'message' ? item.content : null) ?? '';
}

function joinParagraphs(contents: ContentPart[][]): ContentPart[] {
  return contents.flatMap((content, index) => (index === 0 ? content : [...textContent('\n\n'), ...content]));
}

function addItem(messages: Message[], { item, param }: PlacedItem, { offer, approvals }: McpHistory): void {
  switch (item.type) {
    case 'message': {
      const content = toContent(item.content ?? '', `${param}.content`);
      if (item.role === 'assistant') modelTurn(messages, (turn) => turn.content === null).content = content;
      else messages.push({ role: item.role === 'developer' ? 'system' : item.role, content });
      return;
    }
    case 'reasoning': {
      const thoughts = thoughtsOf(item);
      if (thoughts === '') return;
      const turn = modelTurn(messages, ({ content, tool_calls }) => content === null && !tool_calls);
      turn.reasoning_content = [turn.reasoning_content ?? [], thoughts].flat().join('\n\n');
      return;
    }
    case 'function_call':
      addCall(messages, toCall(item.call_id, item.name, item.arguments));
      return;
    case 'custom_tool_call':
      addCall(messages, toCall(item.call_id, item.name, toArguments(item.input)));
      return;
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const content = toContent(item.output, `${param}.output`);
      messages.push({ role: 'tool', content, tool_call_id: item.call_id });
      return;
    }
    case 'mcp_list_tools':
      return;
    case 'mcp_call':
      addCall(messages, toMcpCall(item, offer));
      addResult(messages, item.id, item.output ?? item.error ?? '');
      return;
    case 'mcp_approval_request':
      if (approvals.has(item.id)) addCall(messages, toMcpCall(item, offer));
      return;
    case 'mcp_approval_response': {
      const id = item.approval_request_id;
      if (approvals.get(id)?.response === item) addResult(messages, id, item.approve ? '' : wordsOfDenial(item));
      return;
    }
    default:
      item satisfies never;
  }
}

/**
 * Returns the model's last message if no other message follows and `takes` returns true for it; else adds a new
 * message.
 */
function modelTurn(messages: Message[], takes: (message: Message) => boolean): Message {
  const last = messages.at(-1);
  if (last?.role === 'assistant' && takes(last)) return last;
  const turn: Message = { role: 'assistant', content: null };
  messages.push(turn);
  return turn;
}

function addCall(messages: Message[], call: ToolCall): void {
  const turn = modelTurn(messages, () => true);
  turn.tool_calls = [...(turn.tool_calls ?? []), call];
}

function addResult(messages: Message[], id: string, text: string): void {
  messages.push({ role: 'tool', content: textContent(text), tool_call_id: id });
}

/** Returns a call by the name that the model knows. A tool that is no longer offered has its own name. */
function toMcpCall(
  { id, server_label, name, arguments: json }: { id: string; server_label: string; name: string; arguments: string },
  offer: McpOffer,
): ToolCall {
  return toCall(id, findOffered(offer, server_label, name)?.name ?? name, json);
}

function toCall(id: string, name: string, json: string): ToolCall {
  return { id, type: 'function', function: { name, arguments: json } };
}

/** Returns the reasoning in an item: the whole text if it is there, else its summary. */
function thoughtsOf({ content, summary }: ContentItem & { type: 'reasoning' }): string {
  const textOf = (parts: typeof content) => (parts ?? []).map(({ text }) => text ?? '').join('\n\n');
  return textOf(content) || textOf(summary);
}

function toContent(content: string | InputPart[], param: string): ContentPart[] {
  if (typeof content === 'string') return textContent(content);
  return content.map((part, index) => toPart(part, `${param}[${index}]`));
}

function toPart(part: InputPart, param: string): ContentPart {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { kind: 'text', text: part.text };
    case 'refusal':
      return { kind: 'text', text: part.refusal };
    case 'input_image': {
      const { image_url: url, detail } = part;
      if (typeof url !== 'string')
        throw unsupportedParameter(param, `${param} must have an image_url: images of files are not supported.`);
      return { kind: 'media', media: { kind: 'image', url, ...(detail === 'low' && { detail }) }, param };
    }
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return { kind: 'media', media: { kind: 'audio', data, format }, param };
    }
    case 'input_file':
      throw unsupportedParameter(param, `${param} is a file, and files are not supported.`);
    default:
      return part satisfies never;
  }
}
