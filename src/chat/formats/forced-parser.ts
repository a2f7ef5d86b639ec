import type { ParserOptions, ReplyParser, Tool } from './format.ts';
import { passJson } from './json-reader.ts';
import { passMembers } from './member-reader.ts';
import { consume, type Input, type Reading, takeMark } from './reading.ts';
import { type DeltaCollector, runReading } from './reply-parser.ts';
import type { CallSyntax } from './writing.ts';

/**
 * Makes a parser for a reply that a grammar forces to be calls in this form, or JSON. No part of the reply is
 * ambiguous, so arguments are passed on as JSON at once, and a call that is cut off stays a call.
 */
export function createForcedParser(
  writing: CallSyntax,
  tools: Tool[],
  forced: NonNullable<ParserOptions['forced']>,
): ReplyParser {
  let unfinished = false;
  const names = tools.map(({ name }) => name);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  function* readForced(input: Input, output: DeltaCollector): Reading<void> {
    let calls = 0;
    for (;;) {
      const mayBeJson = forced === 'calls or JSON' && calls === 0;
      const name = yield* takeBeginning(input, writing, names, calls, mayBeJson);
      if (name === undefined) break;
      output.call(name);
      unfinished = true;
      const after = writing.call(name, calls)[1];
      const pass = (text: string) => text !== '' && output.arguments(text);
      const { members } = writing;
      const isWhole = members
        ? yield* passMembers(input, members, after, byName.get(name), pass)
        : yield* passJson(input, pass);
      if (!isWhole) break;
      unfinished = false;
      if (!(yield* takeMark(input, after))) break;
      calls += 1;
    }
    yield* takeMark(input, writing.close);
    while (!input.ended) {
      output.text('content', consume(input, input.rest.length));
      yield;
    }
    // The rest at the end is a part of a mark, unless it is the beginning of JSON.
    if (forced === 'calls or JSON' && output.last === undefined) output.text('content', input.rest);
  }

  const parser = runReading(readForced);
  return {
    ...parser,
    get unfinished() {
      return unfinished;
    },
  };
}

/**
 * Reads the text before the arguments of a call. Returns the name of the tool; undefined if no call begins here. At the
 * end of the reply, a part of this text is enough if only one tool's text begins with it.
 */
function* takeBeginning(
  input: Input,
  { open, separator, close, call, members }: CallSyntax,
  names: string[],
  index: number,
  mayBeJson: boolean,
): Reading<string | undefined> {
  const lead = index === 0 ? open : separator;
  // With the brace of the arguments, none of these is the beginning of another.
  const brace = members ? '' : '{';
  const texts = names.map((name) => ({ name, text: `${lead}${call(name, index)[0]}${brace}` }));
  for (;;) {
    const possible = texts.filter(({ text }) => text.startsWith(input.rest) || input.rest.startsWith(text));
    const [only, another] = possible;
    if (!only) return undefined;
    const isWhole = input.rest.length >= only.text.length;
    if (isWhole || input.ended) {
      const goesBeyond =
        index === 0 ? input.rest !== '' : input.rest.length > lead.length && !close.startsWith(input.rest);
      if (!isWhole && (another || mayBeJson || !goesBeyond)) return undefined;
      consume(input, Math.min(input.rest.length, only.text.length - brace.length));
      return only.name;
    }
    yield;
  }
}
