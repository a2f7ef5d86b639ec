import type { Turn } from '../conversation/conversation.ts';
import { wordsOf } from './words.ts';

/** The limits of a summary: a share of the context window, and a number of tokens. */
const SHARE = 0.125;
const MOST_TOKENS = 600;

/**
 * Returns the body of a chat request that summarises turns. `before` is the summary of earlier turns; null for none.
 * `window` is in tokens.
 */
export function toSummaryRequest(model: string, turns: Turn[], before: string | null, window: number): object {
  const tokens = Math.max(32, Math.min(MOST_TOKENS, Math.floor(window * SHARE)));
  const task =
    'Below is the beginning of a conversation. Write what a reader must know to go on with it: facts, names, numbers, ' +
    'decisions, and questions that are still open. Write in the language of the conversation, in at most ' +
    `${Math.floor(tokens / 2)} words. Write nothing but this summary.`;
  const parts = [...(before ? [`What was said before that, in short:\n${before}`] : []), ...turns.flatMap(toParts)];
  return {
    model,
    messages: [{ role: 'user', content: `${task}\n\n---\n\n${parts.join('\n\n')}\n\n---\n\nThe summary:` }],
    stream: true,
    temperature: 0,
    max_tokens: tokens,
    context_overflow: 'error',
  };
}

function toParts(turn: Turn): string[] {
  switch (turn.role) {
    case 'user':
      return [`User: ${wordsOf(turn) || '(an attachment)'}`];
    case 'assistant':
      return turn.text === '' ? [] : [`Assistant: ${turn.text}`];
    case 'tool':
      return [`Result of a tool: ${turn.text}`];
    default:
      return turn satisfies never;
  }
}
