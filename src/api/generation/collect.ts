import type { ChoiceFinished, GenerationDone, GenerationEvent, TokenLogprob } from '../../contract/events.ts';

/** A whole reply, as it was written. */
export interface CollectedReply {
  content: string;
  reasoning: string;
  toolCalls: { name: string; arguments: string }[];
  logprobs: TokenLogprob[];
  finish: ChoiceFinished;
}

/**
 * Collects the events of a generation into one whole reply per choice. Throws if the generation ends without its `done`
 * event.
 */
export async function collectReplies(
  events: AsyncIterable<GenerationEvent>,
): Promise<{ replies: CollectedReply[]; done: GenerationDone }> {
  const replies: CollectedReply[] = [];
  let done: GenerationDone | undefined;
  for await (const event of events) {
    if (event.kind === 'done') done = event;
    else if ('choice' in event) {
      replies[event.choice] ??= emptyReply(event.choice);
      gather(replies[event.choice] as CollectedReply, event);
    }
  }
  if (!done) throw new Error('the generation ended without its last event');
  return { replies, done };
}

function emptyReply(choice: number): CollectedReply {
  const finish: ChoiceFinished = { kind: 'finish', choice, reason: 'stop' };
  return { content: '', reasoning: '', toolCalls: [], logprobs: [], finish };
}

function gather(reply: CollectedReply, event: Extract<GenerationEvent, { choice: number }>): void {
  switch (event.kind) {
    case 'text':
      reply.content += event.text;
      reply.logprobs.push(...(event.logprobs ?? []));
      return;
    case 'reasoning':
      reply.reasoning += event.text;
      return;
    case 'toolCall':
      reply.toolCalls[event.index] = { name: event.name, arguments: '' };
      return;
    case 'toolArguments': {
      const call = reply.toolCalls[event.index];
      if (call) call.arguments += event.text;
      return;
    }
    case 'finish':
      reply.finish = event;
      return;
    default:
      event satisfies never;
  }
}
