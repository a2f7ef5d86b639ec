import type { TokenLogprob } from '../../contract/events.ts';
import { newPrefixedId } from '../generation/ids.ts';
import { toLogprobs } from '../generation/logprobs.ts';
import type { McpEvent } from '../mcp/events.ts';
import { type OutputItemDraft, toItem } from './drafts.ts';
import { closingEvents, growingEvents, openingEvents } from './item-events.ts';
import { createMcpItems } from './mcp-items.ts';
import type { ItemStatus, OutputItem, OutputLogprob, ResponseEvent } from './objects.ts';

/** Turns the pieces of a reply into OpenAI's output items. Each function returns the events for its piece. */
export interface ResponseOutput {
  text(text: string, logprobs?: TokenLogprob[]): ResponseEvent[];
  reasoning(text: string): ResponseEvent[];
  toolCall(name: string): ResponseEvent[];
  /** Arguments of the latest call. */
  toolArguments(text: string): ResponseEvent[];
  /** A tool that this server runs, or may run. */
  mcp(event: McpEvent): ResponseEvent[];
  /** Ends the last item. A reply without any gets an empty message, since clients look for one. */
  end(status: ItemStatus): ResponseEvent[];
  /** Returns the items so far, including the unfinished one. */
  items(): OutputItem[];
}

/** White space that is held back: it may begin an item, or it is dropped between two items. */
interface Held {
  kind: 'message' | 'reasoning';
  text: string;
  logprobs: OutputLogprob[];
}

/** Makes the output of one response, which begins without items. */
export function createOutput(): ResponseOutput {
  const ended: OutputItem[] = [];
  const mcp = createMcpItems(ended);
  let open: OutputItemDraft | null = null;
  let held: Held | null = null;

  const close = (status: ItemStatus): ResponseEvent[] => {
    if (!open) return [];
    const item = toItem(open, status);
    open = null;
    ended.push(item);
    return closingEvents(item, ended.length - 1);
  };
  const begin = (draft: OutputItemDraft): ResponseEvent[] => {
    const before = close('completed');
    open = draft;
    held = null;
    return [...before, ...openingEvents(draft, ended.length)];
  };
  const grow = (draft: OutputItemDraft, text: string, logprobs: OutputLogprob[]): ResponseEvent[] => {
    draft.text += text;
    draft.logprobs.push(...logprobs);
    return growingEvents(draft, text, logprobs, ended.length);
  };
  const say = (kind: Held['kind'], text: string, logprobs: OutputLogprob[]): ResponseEvent[] => {
    if (open?.kind === kind) return grow(open, text, logprobs);
    const before = held?.kind === kind ? held : { text: '', logprobs: [] };
    const first = { kind, text: before.text + text, logprobs: [...before.logprobs, ...logprobs] };
    if (!/\S/.test(first.text)) {
      held = first;
      return [];
    }
    const draft = newDraft(kind);
    return [...begin(draft), ...grow(draft, first.text, first.logprobs)];
  };

  return {
    text: (text, logprobs = []) => say('message', text, toLogprobs(logprobs).content),
    reasoning: (text) => say('reasoning', text, []),
    toolCall: (name) => begin({ ...newDraft('function_call'), name }),
    toolArguments: (text) => (open?.kind === 'function_call' ? grow(open, text, []) : []),
    mcp(event) {
      const before = close('completed');
      held = null;
      return [...before, ...mcp.write(event)];
    },
    end(status) {
      const empty = open === null && ended.every(isListing) ? begin(newDraft('message')) : [];
      return [...empty, ...close(status), ...mcp.end()];
    },
    items: () => (open ? [...ended, toItem(open, 'in_progress')] : ended),
  };
}

function isListing({ type }: OutputItem): boolean {
  return type === 'mcp_list_tools';
}

const ID_PREFIXES: Record<OutputItemDraft['kind'], string> = { message: 'msg', reasoning: 'rs', function_call: 'fc' };

function newDraft(kind: OutputItemDraft['kind']): OutputItemDraft {
  return {
    kind,
    id: newPrefixedId(ID_PREFIXES[kind]),
    callId: newPrefixedId('call'),
    name: '',
    text: '',
    logprobs: [],
  };
}
