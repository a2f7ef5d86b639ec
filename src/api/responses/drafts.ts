import type { ItemStatus, OutputItem, OutputLogprob } from './objects.ts';

/** An output item under way. */
export interface Draft {
  kind: OutputItem['type'];
  id: string;
  /** Of a call. */
  callId: string;
  /** Of a call. */
  name: string;
  /** What the model has written of it so far: a text, its reasoning, or a call's arguments. */
  text: string;
  logprobs: OutputLogprob[];
}

/** The item with all that has been written of it. */
export function toItem({ kind, id, callId, name, text, logprobs }: Draft, status: ItemStatus): OutputItem {
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
