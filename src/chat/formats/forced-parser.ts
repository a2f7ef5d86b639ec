import type { FunctionCall, ParserOptions, ReasoningMarks, ReplyParser, Tool } from './format.ts';
import { passJson } from './json-reader.ts';
import { passMembers } from './member-reader.ts';
import { consume, type Input, passUpTo, type Reading, skipSpace, takeMark } from './reading.ts';
import { type DeltaCollector, runReading } from './reply-parser.ts';
import type { CallSyntax } from './writing.ts';

/**
 * Makes a parser for a reply that a grammar forces to be calls in this form or an answer, perhaps after reasoning. No
 * part of the reply is ambiguous, so arguments are passed on as JSON at once, and a call that is cut off stays a call.
 */
export function createForcedParser(
  writing: CallSyntax,
  { tools, forced, thoughts, answerOpen = '' }: ParserOptions,
): ReplyParser {
  let unfinished = false;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  /** Returns the texts before the arguments of a call, up to the brace, by the names of the tools. */
  const beginnings = (index: number): Beginnings => {
    const lead = index === 0 ? writing.open : writing.separator;
    // With the brace of the arguments, none of these is the beginning of another.
    const brace = writing.members ? '' : '{';
    const texts = tools.map(({ name }) => ({ name, text: `${lead}${writing.call(name, index)[0]}${brace}` }));
    // The space after the reasoning was read with its mark.
    const isTrimmed = thoughts !== undefined && index === 0;
    return {
      lead,
      close: writing.close,
      kept: brace.length,
      texts: isTrimmed ? texts.map(({ name, text }) => ({ name, text: text.trimStart() })) : texts,
    };
  };

  /** Reads calls, and returns how many were begun. */
  function* readCalls(input: Input, output: DeltaCollector): Reading<number> {
    for (let calls = 0; ; ) {
      const mayBeAnswer = forced === 'calls or answer' && calls === 0;
      const name = yield* takeBeginning(input, beginnings(calls), calls, mayBeAnswer);
      if (name === undefined) return calls;
      output.call(name);
      unfinished = true;
      const after = writing.call(name, calls)[1];
      calls += 1;
      const pass = (text: string) => text !== '' && output.arguments(text);
      const { members } = writing;
      const isWhole = members
        ? yield* passMembers(input, members, after, byName.get(name), pass)
        : yield* passJson(input, pass);
      if (!isWhole) return calls;
      unfinished = false;
      if (!(yield* takeMark(input, after))) return calls;
    }
  }

  function* readForced(input: Input, output: DeltaCollector): Reading<void> {
    if (thoughts && !(yield* passThoughts(input, output, thoughts))) return;
    const calls = forced === 'answer' ? 0 : yield* readCalls(input, output);
    const isAnswer = forced !== 'calls' && calls === 0;
    if (isAnswer) yield* takeCut(input, answerOpen);
    else yield* takeMark(input, writing.close);
    while (!input.ended) {
      output.text('content', consume(input, input.rest.length));
      yield;
    }
    // The rest at the end is a part of a mark, unless it is of an answer.
    if (isAnswer) output.text('content', input.rest);
  }

  const parser = runReading(readForced);
  return {
    ...parser,
    get unfinished() {
      return unfinished;
    },
  };
}

/** Reads the beginning of a call in this form, alone or the first of a section. Undefined if the text is none. */
export function readCutCall(writing: CallSyntax, tools: Tool[], text: string): FunctionCall | undefined {
  const [space = ''] = /^\s*/.exec(writing.open + writing.call('', 0)[0]) ?? [];
  for (const whole of [space + text.trimStart(), writing.open + text.trimStart()]) {
    const parser = createForcedParser(writing, { tools, startsInReasoning: false, forced: 'calls' });
    const [first, ...rest] = [...parser.push(whole), ...parser.finish()];
    const pieces = rest.map((delta) => (delta.kind === 'toolArguments' ? delta.text : undefined));
    if (first?.kind !== 'toolCall' || !parser.unfinished || pieces.includes(undefined)) continue;
    return { name: first.name, arguments: pieces.join('') };
  }
  return undefined;
}

/** Passes the reasoning on, and reads the marks after it. Returns false if the reply ends before. */
function* passThoughts(
  input: Input,
  output: DeltaCollector,
  { open, close, next = '' }: ReasoningMarks,
): Reading<boolean> {
  yield* skipSpace(input);
  // The prompt has the opening mark. A model may repeat it.
  if (yield* takeMark(input, open)) yield* skipSpace(input);
  const mark = yield* passUpTo(input, [close], (text) => output.text('reasoning', text));
  if (mark === undefined) return false;
  consume(input, close.length);
  yield* skipSpace(input);
  yield* takeCut(input, next);
  return true;
}

/** Reads a mark that comes next. The reply may end within it. */
function* takeCut(input: Input, mark: string): Reading<void> {
  if (yield* takeMark(input, mark)) return;
  if (input.ended && mark.startsWith(input.rest)) consume(input, input.rest.length);
}

interface Beginnings {
  /** The text before a call, and the text after all calls. */
  lead: string;
  close: string;
  texts: { name: string; text: string }[];
  /** The number of characters at the end of each text that are not read. */
  kept: number;
}

/**
 * Reads the text before the arguments of a call. Returns the name of the tool; undefined if no call begins here. At the
 * end of the reply, a part of this text is enough if only one tool's text begins with it.
 */
function* takeBeginning(
  input: Input,
  { lead, close, texts, kept }: Beginnings,
  index: number,
  mayBeAnswer: boolean,
): Reading<string | undefined> {
  for (;;) {
    const possible = texts.filter(({ text }) => text.startsWith(input.rest) || input.rest.startsWith(text));
    const [only, another] = possible;
    if (!only) return undefined;
    const isWhole = input.rest.length >= only.text.length;
    if (isWhole || input.ended) {
      const goesBeyond =
        index === 0 ? input.rest !== '' : input.rest.length > lead.length && !close.startsWith(input.rest);
      if (!isWhole && (another || mayBeAnswer || !goesBeyond)) return undefined;
      consume(input, Math.min(input.rest.length, only.text.length - kept));
      return only.name;
    }
    yield;
  }
}
