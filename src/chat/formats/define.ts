import type { Tools } from './calls.ts';
import { createForcedParser, readCutCall } from './forced-parser.ts';
import type { ChatFormat, ReasoningMarks } from './format.ts';
import type { Input, Reading } from './reading.ts';
import { createReplyParser, type DeltaCollector, runReading, type Syntax } from './reply-parser.ts';
import { withThoughtsInContent } from './thoughts-in-content.ts';
import { type CallSyntax, createWriter } from './writing.ts';

/** The reasoning marks of most models. */
export const THINK: ReasoningMarks = { open: '<think>', close: '</think>', gap: '\n' };

interface Definition extends Pick<ChatFormat, 'name' | 'matches' | 'marks' | 'history' | 'answerOpen'> {
  /** The default is `THINK`. */
  reasoning?: ReasoningMarks[];
  syntax(tools: Tools): Omit<Syntax, 'reasoning'>;
  writing: CallSyntax;
}

/** Defines a format in which everything begins with a mark. */
export function defineFormat({ syntax, writing, reasoning = [THINK], ...rest }: Definition): ChatFormat {
  return {
    ...rest,
    reasoning,
    ...callsWrittenAs(writing, (options) => createReplyParser((tools) => ({ reasoning, ...syntax(tools) }), options)),
  };
}

type Parsing = Pick<ChatFormat, 'createParser' | 'writeCalls' | 'toolGrammar' | 'members'>;

/**
 * Makes the functions of a format that read and write replies. Calls that a grammar forces are read in the form in which
 * they are written; `createFreeParser` reads all other replies.
 */
export function callsWrittenAs(writing: CallSyntax, createFreeParser: ChatFormat['createParser']): Parsing {
  return {
    createParser(options) {
      const readCut = (text: string) => readCutCall(writing, options.tools, text);
      const parser = options.forced ? createForcedParser(writing, options) : createFreeParser({ readCut, ...options });
      const { thoughtsInContent: marks } = options;
      return marks ? withThoughtsInContent(parser, marks) : parser;
    },
    ...createWriter(writing),
  };
}

/** Reads a reply that consists of messages. `startsIn` is the kind of text in which the reply begins. */
export type MessageReading = (
  input: Input,
  output: DeltaCollector,
  tools: Tools,
  startsIn: 'content' | 'reasoning' | undefined,
) => Reading<void>;

/** Makes the parser of a format whose replies consist of messages. */
export function createMessageParser(readReply: MessageReading): ChatFormat['createParser'] {
  return ({ tools, startsInReasoning, continues }) => {
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    const startsIn = continues ?? (startsInReasoning ? 'reasoning' : undefined);
    return runReading((input, output) => readReply(input, output, byName, startsIn));
  };
}
