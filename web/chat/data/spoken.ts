import type { ReplyTurn } from './conversation.ts';

/** Returns the text for a screen reader when a reply has ended: its words without Markdown marks, and how it ended. */
export function spokenReply({ text, calls, end, model }: ReplyTurn): string {
  if (end?.kind === 'failed') return `The reply failed: ${end.message}`;
  const words = withoutMarks(text);
  const called = calls.map(({ function: { name } }) => `It calls ${name}.`).join(' ');
  const said = [words && `${model} says: ${words}`, called].filter(Boolean).join(' ');
  if (end?.kind === 'stopped') return said ? `Stopped. ${said}` : 'Stopped.';
  return said || `${model} has nothing to say.`;
}

function withoutMarks(markdown: string): string {
  return markdown
    .replace(/^\s*```.*$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s{0,3}(?:#{1,6}|>|[-*+])\s+/gm, '')
    .replace(/[*_`~]{1,3}(\S(?:.*?\S)?)[*_`~]{1,3}/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
