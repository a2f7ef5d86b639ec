import type { Emit, TextDelta, TokenLogprob } from '../contract/events.ts';
import type { ReplyDelta, ReplyParser } from './formats/format.ts';

interface Choice {
  parser: ReplyParser;
  /** Number of calls so far. */
  calls: number;
  /** Log probabilities of the tokens whose text is still held back. */
  logprobs: TokenLogprob[];
  /** True while the latest text was reasoning. */
  reasons: boolean;
}

/**
 * Returns a receiver for the events of an engine. It splits the raw text into content, reasoning and tool calls, and
 * passes everything on to `emit`. If `parallel` is false, only the first call of a choice is passed on.
 */
export function createReplyReader(createParser: () => ReplyParser, parallel: boolean, emit: Emit): Emit {
  const choices = new Map<number, Choice>();
  let reasoningTokens = 0;

  const choiceOf = (index: number): Choice => {
    const known = choices.get(index) ?? { parser: createParser(), calls: 0, logprobs: [], reasons: false };
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

  const read = ({ choice: index, text, logprobs = [], tokens = 0 }: TextDelta) => {
    const choice = choiceOf(index);
    choice.logprobs.push(...logprobs);
    const deltas = choice.parser.push(text);
    if (deltas.length > 0) choice.reasons = deltas.some(({ kind }) => kind === 'reasoning');
    if (choice.reasons) reasoningTokens += tokens;
    for (const delta of deltas) say(index, choice, delta);
  };

  return (event) => {
    if (event.kind === 'text') {
      read(event);
    } else if (event.kind === 'finish') {
      const choice = choiceOf(event.choice);
      for (const delta of choice.parser.finish(event.reason === 'length')) say(event.choice, choice, delta);
      // A stop sequence may end a reply inside a call that a grammar forces.
      const called = event.reason === 'stop' && choice.calls > 0 && !choice.parser.unfinished;
      emit(called ? { ...event, reason: 'tool_calls' } : event);
    } else if (event.kind === 'done' && reasoningTokens > 0) {
      emit({ ...event, reasoningTokens });
    } else {
      emit(event);
    }
  };
}
