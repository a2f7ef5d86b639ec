import { readJsonArguments, type Tools } from '../calls.ts';
import { callsWrittenAs, createMessageParser } from '../define.ts';
import type { ChatFormat } from '../format.ts';
import { consume, type Input, passUpTo, type Reading, release, skipSpace, takeMark, takeUpTo } from '../reading.ts';
import type { DeltaCollector } from '../reply-parser.ts';
import type { CallSyntax } from '../writing.ts';

const START = '<|start|>';
const CHANNEL = '<|channel|>';
const MESSAGE = '<|message|>';
const END = '<|end|>';
const ENDS = [END, '<|call|>', '<|return|>'];
const NEXT = `${START}assistant`;
const REASONING = { open: `${CHANNEL}analysis${MESSAGE}`, close: END, next: NEXT };

/**
 * Reads a reply, a sequence of messages. The prompt already has the beginning of the first one, up to its author or, if
 * a kind is given, up to some of its text.
 */
function* readReply(
  input: Input,
  output: DeltaCollector,
  tools: Tools,
  startsIn: 'content' | 'reasoning' | undefined,
): Reading<void> {
  if (startsIn) yield* readText(input, output, startsIn);
  while (input.rest !== '' || !input.ended) {
    release(input);
    if (yield* beginsHeader(input)) yield* readMessage(input, output, tools);
    else yield* readText(input, output, 'content');
  }
}

function* beginsHeader(input: Input): Reading<boolean> {
  yield* skipSpace(input);
  for (const mark of [START, CHANNEL, MESSAGE, 'to=functions.']) {
    if (!(yield* takeMark(input, mark))) continue;
    input.rest = release(input) + input.rest;
    return true;
  }
  input.rest = release(input) + input.rest;
  return false;
}

/**
 * Reads a message. One with a recipient is a call, one on the channel `analysis` is reasoning, the others are content.
 */
function* readMessage(input: Input, output: DeltaCollector, tools: Tools): Reading<void> {
  const header = yield* takeUpTo(input, MESSAGE);
  if (header === undefined) return output.text('content', release(input));
  const recipient = /\bto=(?:functions\.)?([^\s<]+)/.exec(header)?.[1];
  // A message to itself is none to a tool.
  if (recipient !== undefined && recipient !== 'assistant') return yield* readCall(input, output, tools, recipient);
  release(input);
  const isReasoning = header.includes(`${CHANNEL}analysis`);
  yield* readText(input, output, isReasoning ? 'reasoning' : 'content');
}

function* readCall(input: Input, output: DeltaCollector, tools: Tools, name: string): Reading<void> {
  const json = tools.has(name) ? yield* readJsonArguments(input) : undefined;
  if (json !== undefined && (yield* takeEnd(input))) return output.calls([{ name, arguments: json }]);
  // The whole message becomes content, its end mark included. Nothing else comes before the next message.
  output.text('content', release(input));
  const mark = yield* passUpTo(input, [...ENDS, START], (text) => output.text('content', text));
  if (mark !== undefined && mark !== START) consume(input, mark.length);
  output.text('content', release(input));
}

/** Reads the end mark of a message. It may be missing at the end of the reply and before the next message. */
function* takeEnd(input: Input): Reading<boolean> {
  yield* skipSpace(input);
  for (const mark of ENDS) if (yield* takeMark(input, mark)) return true;
  if (input.ended && (input.rest === '' || ENDS.some((mark) => mark.startsWith(input.rest)))) {
    consume(input, input.rest.length);
    return true;
  }
  return input.rest.startsWith(START);
}

/** Reads a message's text and its end mark. */
function* readText(input: Input, output: DeltaCollector, kind: 'content' | 'reasoning'): Reading<void> {
  let isFirst = true;
  const mark = yield* passUpTo(input, [...ENDS, START, CHANNEL], (text) => {
    output.text(kind, isFirst && output.last === kind ? `\n\n${text}` : text);
    isFirst = false;
  });
  if (mark !== undefined && ENDS.includes(mark)) consume(input, mark.length);
}

const WRITING: CallSyntax = {
  open: '',
  separator: END + NEXT,
  close: '',
  call: (name) => [`${CHANNEL}commentary to=functions.${name} <|constrain|>json${MESSAGE}`, ''],
};

/**
 * gpt-oss writes messages on channels. A message to a function is a call.
 *
 *     <|channel|>analysis<|message|>Two numbers.<|end|>
 *     <|start|>assistant<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a": 1}<|call|>
 *
 * An empty line separates two messages of the same kind.
 */
export const harmony: ChatFormat = {
  name: 'harmony',
  matches: (template) => template.includes(START) && template.includes(CHANNEL),
  marks: [START, CHANNEL, MESSAGE, '<|constrain|>', ...ENDS],
  reasoning: [REASONING],
  answerOpen: `${CHANNEL}final${MESSAGE}`,
  history: { singleCalls: true, thinking: true },
  ...callsWrittenAs(WRITING, createMessageParser(readReply)),
};
