import type { ChoiceFinished, GenerationDone, GenerationEvent, TokenLogprob } from '../../contract/events.ts';
import { violationFields } from '../generation/violations.ts';
import { type CompletionHead, toTimings, toUsage } from '../stream/usage.ts';
import { createTextLogprobs } from './logprobs.ts';

/** The request's fields for one choice. A list of them is in the order of the choices' indexes. */
export interface TextChoice {
  logprobs: boolean;
}

interface Gathered {
  text: string;
  tokens: TokenLogprob[];
  finish: Pick<ChoiceFinished, 'reason' | 'violations'>;
}

/** Builds the reply to a request that does not stream. Throws if the generation ends without its `done` event. */
export async function collectTextCompletion(
  events: AsyncIterable<GenerationEvent>,
  head: CompletionHead,
  choices: TextChoice[],
) {
  const gathered = choices.map((): Gathered => ({ text: '', tokens: [], finish: { reason: 'stop' } }));
  let done: GenerationDone | undefined;
  for await (const event of events) {
    if (event.kind === 'done') done = event;
    else if ('choice' in event) gather(gathered[event.choice], event);
  }
  if (!done) throw new Error('the generation ended without its last event');
  return {
    ...head,
    object: 'text_completion',
    choices: gathered.map(({ text, tokens, finish }, index) => ({
      index,
      text,
      logprobs: choices[index]?.logprobs ? createTextLogprobs()(tokens) : null,
      finish_reason: finish.reason,
      ...violationFields(finish),
    })),
    usage: toUsage(done),
    timings: toTimings(done),
  };
}

function gather(choice: Gathered | undefined, event: Extract<GenerationEvent, { choice: number }>): void {
  if (!choice) throw new Error(`the generation has a choice ${event.choice}, which nobody asked for`);
  switch (event.kind) {
    case 'text':
      choice.text += event.text;
      for (const token of event.logprobs ?? []) choice.tokens.push(token);
      break;
    case 'finish':
      choice.finish = event;
      break;
    default:
      throw new Error(`a plain completion has no ${event.kind}`);
  }
}
