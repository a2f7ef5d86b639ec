import type { ReplyTurn } from '../conversation/conversation.ts';
import type { Translate } from '../messages/translate.ts';

/** Returns the announcement of an ended reply for screen readers: its text without Markdown, and how it ended. */
export function spokenReply({ text, calls, end, model }: ReplyTurn, t: Translate): string {
  if (end?.kind === 'failed') return t('reply.failed', { message: end.message });
  const words = withoutMarks(text);
  const called = calls.map(({ function: { name } }) => t('reply.calls', { name })).join(t('common.between'));
  const said = [words && t('reply.says', { model, words }), called].filter(Boolean).join(t('common.between'));
  if (end?.kind === 'stopped') return [t('common.stopped'), said].filter(Boolean).join(t('common.between'));
  return said || t('reply.nothingSaid', { model });
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
