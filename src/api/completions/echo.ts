import type { GenerationEvent, TokenLogprob } from '../../contract/events.ts';

/**
 * Begins each choice of a generation with the text of its prompt, and with the log probabilities of the prompt's tokens
 * if the engine reports them.
 */
export async function* withEcho(events: AsyncIterable<GenerationEvent>, text: string): AsyncGenerator<GenerationEvent> {
  const begun = new Set<number>();
  let logprobs: TokenLogprob[] | undefined;
  for await (const event of events) {
    if (event.kind === 'progress') logprobs = event.logprobs ?? logprobs;
    if ('choice' in event && !begun.has(event.choice)) {
      begun.add(event.choice);
      yield { kind: 'text', choice: event.choice, text, ...(logprobs && { logprobs }) };
    }
    yield event;
  }
}
