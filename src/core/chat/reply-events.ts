import type { TokenLogprob } from '../events.ts';
import type { Emit } from '../runner.ts';
import type { ReplyDelta, ReplyParser } from './formats/format.ts';

interface Choice {
  parser: ReplyParser;
  /** Number of calls so far. */
  calls: number;
  /** Log probabilities of the tokens whose text is still held back. */
  logprobs: TokenLogprob[];
}

/**
 * Returns a receiver for the events of an engine. It splits the raw text into content, reasoning and tool calls, and
 * passes everything on to `emit`. If `parallel` is false, only the first call of a choice is passed on.
 */
export function createReplyReader(createParser: () => ReplyParser, parallel: boolean, emit: Emit): Emit {
  const choices = new Map<number, Choice>();

  const choiceOf = (index: number): Choice => {
    const known = choices.get(index) ?? { parser: createParser(), calls: 0, logprobs: [] };
    choices.set(index, known);
    return known;
  };

  const say = (index: number, choice: Choice, delta: ReplyDelta) => {
    if (delta.kind === 'content') {
      const { logprobs } = choice;
      emit({ kind: 'text', choice: index, text: delta.text, ...(logprobs.length > 0 && { logprobs }) });
      choice.logprobs = [];
    } else if (delta.kind === 'reasoning') {
      emit({ kind: 'reasoning', choice: index, text: delta.text });
      choice.logprobs = [];
    } else if (parallel || delta.index === 0) {
      if (delta.kind === 'toolCall') choice.calls += 1;
      emit({ ...delta, choice: index });
      choice.logprobs = [];
    }
  };

  return (event) => {
    if (event.kind === 'text') {
      const choice = choiceOf(event.choice);
      choice.logprobs.push(...(event.logprobs ?? []));
      for (const delta of choice.parser.push(event.text)) say(event.choice, choice, delta);
    } else if (event.kind === 'finish') {
      const choice = choiceOf(event.choice);
      for (const delta of choice.parser.finish()) say(event.choice, choice, delta);
      const called = event.reason === 'stop' && choice.calls > 0;
      emit(called ? { ...event, reason: 'tool_calls' } : event);
    } else {
      emit(event);
    }
  };
}
