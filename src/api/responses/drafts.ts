import type { ItemStatus, OutputLogprob, WrittenItem } from './objects.ts';

/** An output item that is being written. */
export interface OutputItemDraft {
  kind: WrittenItem['type'];
  id: string;
  /** Of a call. */
  callId: string;
  /** Of a call. */
  name: string;
  /** The text so far: content, reasoning, or a call's arguments. */
  text: string;
  logprobs: OutputLogprob[];
}

/** Returns the item with its text so far. */
export function toItem({ kind, id, callId, name, text, logprobs }: OutputItemDraft, status: ItemStatus): WrittenItem {
  switch (kind) {
    case 'message': {
      const content = [{ type: 'output_text' as const, text, annotations: [] as [], logprobs }];
      return { type: kind, id, status, role: 'assistant', content };
    }
    case 'reasoning': {
      const summary = [{ type: 'summary_text' as const, text }];
      return { type: kind, id, status, summary, content: [{ type: 'reasoning_text', text }] };
    }
    case 'function_call':
      return { type: kind, id, status, call_id: callId, name, arguments: text };
    default:
      return kind satisfies never;
  }
}
