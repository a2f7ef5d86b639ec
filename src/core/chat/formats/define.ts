import type { Tools } from './calls.ts';
import type { ChatFormat, ReasoningMarks } from './format.ts';
import { createReplyParser, type Syntax } from './reply-parser.ts';
import { createWriter, type Writing } from './writing.ts';

/** How most models mark their reasoning. */
export const THINK: ReasoningMarks = { open: '<think>', close: '</think>' };

interface Definition extends Pick<ChatFormat, 'name' | 'matches' | 'marks' | 'history'> {
  /** `THINK` unless it is said. */
  reasoning?: ReasoningMarks[];
  syntax(tools: Tools): Omit<Syntax, 'reasoning'>;
  writing: Writing;
}

/** A format in which everything begins with a mark. */
export function defineFormat({ syntax, writing, reasoning = [THINK], ...rest }: Definition): ChatFormat {
  return {
    ...rest,
    reasoning,
    createParser: (options) => createReplyParser((tools) => ({ reasoning, ...syntax(tools) }), options),
    ...createWriter(writing),
  };
}
