import type { CallReader, Tools } from './calls.ts';
import type { FunctionCall, ParserOptions, ReasoningMarks, ReplyDelta, ReplyParser } from './format.ts';
import { consume, type Input, passUpTo, type Reading, release, skipSpace, takeMark } from './reading.ts';

/** The parts of a format's replies. Space next to a mark belongs to the mark. */
export interface Syntax {
  reasoning: ReasoningMarks[];
  /** The readers of calls, with the mark that each begins with. */
  calls: { mark: string; read: CallReader }[];
  /** Reads calls that have no mark. They are calls only at the beginning of the content. */
  opening?: CallReader;
  /** Marks to leave out, since clients don't need them. */
  silent?: string[];
}

/** Collects the deltas of what was read. */
export class DeltaCollector {
  #deltas: ReplyDelta[] = [];
  #calls = 0;
  /** The kind of the latest delta. */
  last: ReplyDelta['kind'] | undefined;

  /** Joins text to the delta before it if both have the same kind. */
  text(kind: 'content' | 'reasoning', text: string): void {
    if (text === '') return;
    const previous = this.#deltas.at(-1);
    if (previous?.kind === kind) previous.text += text;
    else this.#deltas.push({ kind, text });
    this.last = kind;
  }

  calls(calls: FunctionCall[]): void {
    for (const call of calls) {
      this.call(call.name);
      this.arguments(call.arguments);
    }
  }

  /** Begins a call. Its arguments follow. */
  call(name: string): void {
    this.#deltas.push({ kind: 'toolCall', index: this.#calls++, name });
    this.last = 'toolCall';
  }

  /** Adds a piece to the arguments of the latest call. */
  arguments(text: string): void {
    this.#deltas.push({ kind: 'toolArguments', index: this.#calls - 1, text });
    this.last = 'toolArguments';
  }

  release(): ReplyDelta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }
}

/** Makes a parser of a reading of the whole reply. */
export function runReading(read: (input: Input, output: DeltaCollector) => Reading<void>): ReplyParser {
  const input: Input = { rest: '', taken: '', ended: false };
  const output = new DeltaCollector();
  const reading = read(input, output);
  const advance = () => {
    reading.next();
    return output.release();
  };
  return {
    push(text) {
      input.rest += text;
      return advance();
    },
    finish(isCut = false) {
      input.ended = true;
      input.isCut = isCut;
      return advance();
    },
  };
}

/** Makes a parser for a format in which everything begins with a mark. */
export function createReplyParser(syntaxFor: (tools: Tools) => Syntax, options: ParserOptions): ReplyParser {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const syntax = syntaxFor(tools);
  return runReading((input, output) => readReply(input, output, { ...options, syntax, tools }));
}

interface Context extends Pick<ParserOptions, 'startsInReasoning' | 'continues' | 'readCut'> {
  syntax: Syntax;
  tools: Tools;
}

/** What the parts of a reply are read by. */
interface Readers {
  tools: Tools;
  /** The readers of calls, by their marks. */
  calls: Map<string, CallReader>;
  /** The marks to leave out. */
  silent: Set<string>;
}

function* readReply(input: Input, output: DeltaCollector, context: Context): Reading<void> {
  const { syntax, tools, startsInReasoning, continues, readCut } = context;
  const calls = new Map(
    tools.size === 0 ? [] : syntax.calls.map(({ mark, read }) => [mark, goesOn(mark, read)] as const),
  );
  const reasonings = new Map(syntax.reasoning.map((marks) => [marks.open, marks]));
  const silent = new Set([...(syntax.silent ?? []), ...syntax.reasoning.map(({ close }) => close)]);
  const readers: Readers = { tools, calls, silent };
  const marks = () => [...calls.keys(), ...reasonings.keys(), ...silent];

  if (continues === 'content') output.last = 'content';
  if (continues === 'reasoning') yield* readThoughts(input, output, syntax.reasoning, readers);
  else if (startsInReasoning) yield* readReasoning(input, output, syntax.reasoning, readers);
  for (;;) {
    const atStart = output.last === undefined || output.last === 'reasoning';
    if (atStart && syntax.opening) yield* readOpening(input, output, tools, syntax.opening);
    const mark = yield* passUpTo(input, marks(), (text) => output.text('content', text));
    if (mark === undefined) return;
    const read = calls.get(mark);
    const reasoning = reasonings.get(mark);
    if (read) yield* readCalls(input, output, tools, read, readCut);
    else if (reasoning) yield* readReasoning(input, output, [reasoning], readers);
    else yield* dropMark(input, output, mark);
  }
}

/** Returns a reader that takes at least the mark, also where the text after it is no call: it would be found again. */
function goesOn(mark: string, read: CallReader): CallReader {
  return function* (input, tools) {
    const before = input.taken;
    const calls = yield* read(input, tools);
    if (calls === undefined && input.taken === before) consume(input, mark.length);
    return calls;
  };
}

/** Reads calls. If one of them is wrong, their text up to the error becomes content. */
function* readCalls(
  input: Input,
  output: DeltaCollector,
  tools: Tools,
  read: CallReader,
  readCut: ParserOptions['readCut'],
): Reading<void> {
  const calls = yield* read(input, tools);
  if (!calls?.every(({ name }) => tools.has(name))) {
    const cut = input.isCut ? readCut?.(input.taken + input.rest) : undefined;
    if (!cut) return output.text('content', release(input));
    consume(input, input.rest.length);
    release(input);
    return output.calls([cut]);
  }
  output.calls(calls);
  yield* skipSpace(input);
  release(input);
}

/** Reads calls without a mark. Other text is put back, since it may begin with a mark. */
function* readOpening(input: Input, output: DeltaCollector, tools: Tools, read: CallReader): Reading<void> {
  release(input);
  const calls = yield* read(input, tools);
  const text = release(input);
  if (calls?.every(({ name }) => tools.has(name))) output.calls(calls);
  else input.rest = text + input.rest;
}

/**
 * Reads a block of reasoning. The opening mark is missing if the prompt already has it; `kinds` then has all marks of
 * the format, and the closing mark tells which one it was.
 */
function* readReasoning(
  input: Input,
  output: DeltaCollector,
  kinds: ReasoningMarks[],
  readers: Readers,
): Reading<void> {
  yield* skipSpace(input);
  for (const { open } of kinds) if (yield* takeMark(input, open)) break;
  yield* skipSpace(input);
  release(input);
  yield* readThoughts(input, output, kinds, readers);
}

/** Reads the rest of a block of reasoning, from within it. A call ends the block as well. */
function* readThoughts(input: Input, output: DeltaCollector, kinds: ReasoningMarks[], readers: Readers): Reading<void> {
  const closes = kinds.map(({ close }) => close);
  const ends = kinds.flatMap((kind) => kind.ends ?? []);
  const marks = [...new Set([...closes, ...ends, ...readers.calls.keys()])];
  for (;;) {
    const mark = yield* passUpTo(input, marks, (text) => output.text('reasoning', text));
    if (mark === undefined) return;
    if (closes.includes(mark)) return yield* closeThoughts(input, kinds, mark, readers);
    if (ends.includes(mark)) return;
    if (yield* readCallInThoughts(input, output, mark, marks, readers)) return;
  }
}

function* closeThoughts(input: Input, kinds: ReasoningMarks[], close: string, { silent }: Readers): Reading<void> {
  consume(input, close.length);
  yield* skipSpace(input);
  const { next, answer } = kinds.find((kind) => kind.close === close) ?? {};
  if (next !== undefined) yield* takeMark(input, next);
  if (answer && (yield* takeMark(input, answer.open))) {
    silent.add(answer.close);
    yield* skipSpace(input);
  }
  release(input);
}

/**
 * Reads a call within reasoning. Models forget to close their reasoning, and they also quote calls in it: a call with
 * more text in its last line is a quoted one, and becomes reasoning. Returns true if it was a call.
 */
function* readCallInThoughts(
  input: Input,
  output: DeltaCollector,
  mark: string,
  marks: string[],
  { tools, calls }: Readers,
): Reading<boolean> {
  const read = calls.get(mark);
  const found = read ? yield* read(input, tools) : undefined;
  if (found?.every(({ name }) => tools.has(name)) && (yield* endsLine(input, marks))) {
    output.calls(found);
    yield* skipSpace(input);
    release(input);
    return true;
  }
  output.text('reasoning', release(input));
  return false;
}

/** True if the line ends here, or goes on with a mark. */
function* endsLine(input: Input, marks: string[]): Reading<boolean> {
  for (;;) {
    const rest = input.rest.replace(/^[ \t]+/, '');
    if (rest.startsWith('\n') || rest.startsWith('\r') || marks.some((mark) => rest.startsWith(mark))) return true;
    if (input.ended) return rest === '';
    if (!marks.some((mark) => mark.startsWith(rest))) return false;
    yield;
  }
}

function* dropMark(input: Input, output: DeltaCollector, mark: string): Reading<void> {
  const space = release(input);
  if (output.last === 'content') output.text('content', space);
  consume(input, mark.length);
  yield* skipSpace(input);
  release(input);
}
