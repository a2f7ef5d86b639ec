import type { Tools } from './calls.ts';
import { createForcedParser } from './forced-parser.ts';
import type { ChatFormat, ReasoningMarks } from './format.ts';
import { createReplyParser, type Syntax } from './reply-parser.ts';
import { type CallSyntax, createWriter } from './writing.ts';

/** The reasoning marks of most models. */
export const THINK: ReasoningMarks = { open: '<think>', close: '</think>', gap: '\n' };

interface Definition extends Pick<ChatFormat, 'name' | 'matches' | 'marks' | 'history'> {
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
    createParser: (options) =>
      options.forced
        ? createForcedParser(writing, options.tools, options.forced)
        : createReplyParser((tools) => ({ reasoning, ...syntax(tools) }), options),
    ...createWriter(writing),
  };
}
