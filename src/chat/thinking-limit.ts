import type { GenerationRequest } from '../contract/generation-request.ts';
import type { ChatPrompt } from '../contract/prompt.ts';
import type { ChatFormat, ReasoningMarks } from './formats/format.ts';
import { showsReasoning } from './formats/index.ts';

/** The limit of a block of reasoning. The engine writes `close` once the block has `tokens` tokens. */
export interface ThinkingLimit {
  tokens: number;
  /** The marks around a block. */
  open: string;
  close: string;
  /** Other marks that end a block, such as that of a call. */
  ends: string[];
  /** True if the prompt ends inside a block. */
  inside: boolean;
}

/** Returns the limit of the blocks of reasoning with these marks. */
export function toThinkingLimit(
  tokens: number,
  { open, close, ends = [] }: ReasoningMarks,
  format: ChatFormat,
  inside: boolean,
): ThinkingLimit {
  const others = format.marks.filter((mark) => !open.includes(mark) && !close.includes(mark));
  return { tokens, open, close, ends: [...ends, ...others], inside };
}

/**
 * Returns the most tokens of a block of reasoning that follows a prompt; undefined for no limit. Where the template has
 * no switch for the reasoning that the request turns off, that is a limit of 0.
 */
export function thinkingBudgetOf(
  { thinkingBudget }: GenerationRequest,
  { templateKwargs }: ChatPrompt,
  prompt: { text: string; template: string | undefined; marks: ReasoningMarks },
): number | undefined {
  if (thinkingBudget !== undefined || templateKwargs.enable_thinking !== false) return thinkingBudget;
  const { text, template = '', marks } = prompt;
  const end = text.trimEnd();
  const mayReason = showsReasoning(template) || end.endsWith(marks.open.trim());
  return mayReason && !end.endsWith(marks.close) ? 0 : undefined;
}

/** True if a request asks for reasoning before a reply that a grammar forces. Options are weighed without it. */
export function asksForThoughts(
  { replyFormat, thinkingBudget = 0 }: GenerationRequest,
  { templateKwargs }: ChatPrompt,
): boolean {
  if (replyFormat.kind === 'options') return false;
  const { enable_thinking: thinks } = templateKwargs;
  return typeof thinks === 'boolean' ? thinks : thinkingBudget > 0;
}
