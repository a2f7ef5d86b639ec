import type { Tool } from '../../contract/tool.ts';
import type { MemberMarks } from '../../grammar/schema-grammar.ts';

export type { MemberMarks, Tool };

/** A call of a tool. */
export interface FunctionCall {
  name: string;
  /** The JSON text of one object. */
  arguments: string;
}

/** A piece of a reply, as the parser splits the model's raw text. */
export type ReplyDelta =
  | { kind: 'content'; text: string }
  | { kind: 'reasoning'; text: string }
  /** A new call. It comes once for each index, before the arguments. */
  | { kind: 'toolCall'; index: number; name: string }
  /** A piece of a call's arguments. All pieces together are the JSON text of one object. */
  | { kind: 'toolArguments'; index: number; text: string };

/** Reads one reply while the model writes it. The text may be cut anywhere between two pushes. */
export interface ReplyParser {
  push(text: string): ReplyDelta[];
  /**
   * Returns the rest once no more text comes. An unfinished call becomes content, unless a grammar forces it, or the
   * reply was cut off by a limit: the call then has its arguments up to there.
   */
  finish(isCut?: boolean): ReplyDelta[];
  /** True if the reply ended inside a call that a grammar forces. */
  readonly unfinished?: boolean;
}

export interface ParserOptions {
  /** The tools that the model was shown. If there are none, nothing is read as a call. */
  tools: Tool[];
  /** True if the prompt already ends inside a reasoning block. Some templates do that. */
  startsInReasoning: boolean;
  /**
   * The part that the reply continues, if the prompt already has its beginning. The reply may then begin within a word.
   */
  continues?: 'content' | 'reasoning';
  /**
   * The replies that the grammar allows: only the calls of `toolGrammar`, calls or an answer such as JSON, or only an
   * answer. Absent without a grammar.
   */
  forced?: 'calls' | 'calls or answer' | 'answer';
  /** The marks of the reasoning in which such a reply begins. Absent if no reasoning comes first. */
  thoughts?: ReasoningMarks;
  /** The text that opens the answer in such a reply, where the prompt does not have it already. */
  answerOpen?: string;
  /** Reads a call that a limit has cut off; undefined if the text is not the beginning of one. */
  readCut?(text: string): FunctionCall | undefined;
  /** Set if reasoning is to be a part of the content, between these marks. */
  thoughtsInContent?: ReasoningMarks;
}

/** The marks around a block of reasoning. */
export interface ReasoningMarks {
  open: string;
  close: string;
  /** The text between the opening mark and the reasoning. */
  gap?: string;
  /** Marks of other parts. They end the reasoning if its closing mark is missing. */
  ends?: string[];
  /** The text between the closing mark and the next part of a reply, for models that write messages. */
  next?: string;
  /** The marks around the answer that follows, for models that mark it as well. */
  answer?: { open: string; close: string };
}

/** The rules of a family's templates for the earlier calls of a conversation. */
export interface HistoryRules {
  /** Makes the id that a call and the message with its result must have. By default the ids count the calls. */
  callId?(name: string, indexInMessage: number, indexInConversation: number): string;
  /** True if arguments must be JSON text instead of an object. */
  textArguments?: boolean;
  /** True if a message may have only one call. */
  singleCalls?: boolean;
  /**
   * Where templates read the reasoning of a message, if not from `reasoning_content`: from another field, or from a
   * chunk of the content.
   */
  thoughts?: 'reasoning' | 'thinking' | 'chunks';
  /**
   * True if templates read the reasoning before a call from `thinking`. They refuse `thinking` in a message with text.
   */
  thinking?: boolean;
}

/** The way in which a family of models writes reasoning and tool calls. */
export interface ChatFormat {
  name: string;
  /** True if a model with this chat template writes this format. */
  matches(template: string): boolean;
  /** Special tokens that are marks of the format. The engine must output them as text. */
  marks: string[];
  /** The marks of reasoning. Current models write the first; older ones may write the others. */
  reasoning: ReasoningMarks[];
  /** The text that opens the answer, where the model writes that, and not the template's beginning of a reply. */
  answerOpen?: string;
  history?: HistoryRules;
  /** The marks of each argument of the calls that it writes; absent if the arguments are one JSON object. */
  members?: MemberMarks;
  createParser(options: ParserOptions): ReplyParser;
  /** Writes calls as text that the parser reads back, for prompts whose template does not write calls. */
  writeCalls(calls: FunctionCall[]): string;
  /**
   * Writes GBNF rules for a reply that consists of tool calls. One rule is `root`; the names of all others begin with
   * `call`. `argumentsRule` returns the name of the rule for a tool's arguments. The caller defines that rule, as JSON or
   * with the marks of `members`.
   */
  toolGrammar(tools: Tool[], parallel: boolean, argumentsRule: (tool: Tool) => string): string;
}
