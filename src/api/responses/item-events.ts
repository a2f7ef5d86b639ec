import type { OutputItemDraft } from './drafts.ts';
import type { OutputLogprob, ResponseEvent, WrittenItem } from './objects.ts';

// The events of one output item, in OpenAI's order. Every item has one part at most, so each index of a part is 0.

/** Returns the events of an item's beginning. Its parts are added later, so the item has none yet. */
export function openingEvents({ kind, id, callId, name }: OutputItemDraft, output_index: number): ResponseEvent[] {
  const at = { item_id: id, output_index };
  const added = (item: WrittenItem): ResponseEvent => ({ type: 'response.output_item.added', output_index, item });
  const status = 'in_progress';
  switch (kind) {
    case 'message': {
      const part = { type: 'output_text' as const, text: '', annotations: [] as [], logprobs: [] };
      return [
        added({ type: kind, id, status, role: 'assistant', content: [] }),
        { type: 'response.content_part.added', ...at, content_index: 0, part },
      ];
    }
    case 'reasoning': {
      const [part, text] = [
        { type: 'summary_text' as const, text: '' },
        { type: 'reasoning_text' as const, text: '' },
      ];
      return [
        added({ type: kind, id, status, summary: [], content: [] }),
        { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0, part },
        { type: 'response.content_part.added', ...at, content_index: 0, part: text },
      ];
    }
    case 'function_call':
      return [added({ type: kind, id, status, call_id: callId, name, arguments: '' })];
    default:
      return kind satisfies never;
  }
}

/** Returns the events of a further text of the item. */
export function growingEvents(
  { kind, id }: OutputItemDraft,
  delta: string,
  logprobs: OutputLogprob[],
  output_index: number,
): ResponseEvent[] {
  const at = { item_id: id, output_index };
  switch (kind) {
    case 'message':
      return [{ type: 'response.output_text.delta', ...at, content_index: 0, delta, logprobs }];
    case 'reasoning':
      return [
        { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta },
        { type: 'response.reasoning_text.delta', ...at, content_index: 0, delta },
      ];
    case 'function_call':
      return [{ type: 'response.function_call_arguments.delta', ...at, delta }];
    default:
      return kind satisfies never;
  }
}

/** Returns the events of an item's end. */
export function closingEvents(item: WrittenItem, output_index: number): ResponseEvent[] {
  return [...partsEnd(item, output_index), { type: 'response.output_item.done', output_index, item }];
}

function partsEnd(item: WrittenItem, output_index: number): ResponseEvent[] {
  const at = { item_id: item.id, output_index };
  const [content_index, summary_index] = [0, 0];
  switch (item.type) {
    case 'message':
      return item.content.flatMap((part): ResponseEvent[] => [
        { type: 'response.output_text.done', ...at, content_index, text: part.text, logprobs: part.logprobs },
        { type: 'response.content_part.done', ...at, content_index, part },
      ]);
    case 'reasoning':
      return [
        ...item.summary.flatMap((part): ResponseEvent[] => [
          { type: 'response.reasoning_summary_text.done', ...at, summary_index, text: part.text },
          { type: 'response.reasoning_summary_part.done', ...at, summary_index, part },
        ]),
        ...item.content.flatMap((part): ResponseEvent[] => [
          { type: 'response.reasoning_text.done', ...at, content_index, text: part.text },
          { type: 'response.content_part.done', ...at, content_index, part },
        ]),
      ];
    case 'function_call': {
      const { name, arguments: json } = item;
      return [{ type: 'response.function_call_arguments.done', ...at, name, arguments: json }];
    }
    default:
      return item satisfies never;
  }
}
