import type { Tool } from '../../tool.ts';

export type { Tool };

/** A call of a tool. */
export interface Call {
  name: string;
  /** The JSON text of one object. */
  arguments: string;
}

/** A piece of a reply, told apart from the raw text that the model writes. */
export type ReplyDelta =
  | { kind: 'content'; text: string }
  | { kind: 'reasoning'; text: string }
  /** A new call: comes once for each index, before its arguments. */
  | { kind: 'toolCall'; index: number; name: string }
  /** A piece of a call's arguments; together they are the JSON text of one object. */
  | { kind: 'toolArguments'; index: number; text: string };

/** Reads one reply as it is written. Text may be cut anywhere between two pushes. */
export interface ReplyParser {
  push(text: string): ReplyDelta[];
  /** The rest when no more text comes. What looked like a call but is none comes out as content. */
  finish(): ReplyDelta[];
}

export interface ParserOptions {
  /** The tools that the model was shown; without any, nothing is taken for a call. */
  tools: Tool[];
  /** Whether the prompt already ends inside a reasoning block, as some templates have it. */
  startsInReasoning: boolean;
}

/** What stands around a block of reasoning. */
export interface ReasoningMarks {
  open: string;
  close: string;
  /** What stands around the answer after it, for the models that mark that as well. */
  answer?: { open: string; close: string };
}

/** What a family's templates ask of earlier calls beyond what all take. */
export interface HistoryRules {
  /** The id that a call must have, and with it the message with its result. */
  callId?(name: string, indexInMessage: number, indexInConversation: number): string;
  /** Whether arguments must be JSON text rather than an object. */
  textArguments?: boolean;
  /** Whether a message may have but one call. */
  singleCalls?: boolean;
}

/** How a family of models writes reasoning and tool calls. */
export interface ChatFormat {
  name: string;
  /** Whether a model with this chat template writes this format. */
  matches(template: string): boolean;
  /** Special tokens that are marks of the format, and so must come as text. */
  marks: string[];
  /** How reasoning is marked; the first is what the models of today write. */
  reasoning: ReasoningMarks[];
  history?: HistoryRules;
  createParser(options: ParserOptions): ReplyParser;
  /** Calls as text that the parser reads back: for prompts whose template writes none. */
  writeCalls(calls: Call[]): string;
  /**
   * GBNF rules for a reply that is nothing but tool calls, with the rule `root` among them; the names of all others
   * begin with `call`. `argumentsRule` gives the name of the rule for a tool's arguments, which the caller defines.
   */
  toolGrammar(tools: Tool[], parallel: boolean, argumentsRule: (tool: Tool) => string): string;
}
