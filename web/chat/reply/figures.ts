import type { CacheMissReason, ReplyEnd, ReplyStats } from '../conversation/conversation.ts';
import { localizeNumber } from '../messages/numbers.ts';
import type { MessageKey, Translate } from '../messages/translate.ts';

/** Returns a remaining time, in seconds, as rounded text. */
export function formatSeconds(seconds: number, t: Translate): string {
  if (seconds < 60) return t('common.seconds', { time: Math.max(1, Math.round(seconds)) });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t('common.minutes', { time: minutes });
  return t('common.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** Returns the length of a recording, in seconds, in the form 1:05. */
export function formatLength(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

export function formatRate(tokensPerSecond: number, t: Translate): string {
  return t('common.rate', { rate: localizeNumber(tokensPerSecond, t.tag, tokensPerSecond < 10 ? 1 : 0) });
}

/** Returns the figures of a reply as one line. */
export function formatStats({ tokens, tokensPerSecond, firstTokenMs }: ReplyStats, t: Translate): string {
  return [
    t('common.tokens', { count: tokens }),
    ...(tokensPerSecond === null ? [] : [formatRate(tokensPerSecond, t)]),
    ...(firstTokenMs === null ? [] : [t('reply.firstAfter', { time: formatMs(firstTokenMs, t) })]),
  ].join(' · ');
}

const MISSES: Record<CacheMissReason, MessageKey> = {
  new: 'reply.missNew',
  changed: 'reply.missChanged',
  evicted: 'reply.missEvicted',
};

/** Returns all figures of a reply, each as a sentence. */
export function explainStats({ promptTokens, cachedTokens, totalMs, miss }: ReplyStats, t: Translate): string[] {
  return [
    t('reply.promptHad', { tokens: t('common.tokens', { count: promptTokens }), cached: cachedTokens }),
    ...(miss ? [t(MISSES[miss])] : []),
    t('reply.took', { time: formatMs(totalMs, t) }),
  ];
}

/** Returns a note on how a reply ended; null if it ended normally or its error is shown elsewhere. */
export function endNote(end: ReplyEnd, t: Translate): string | null {
  if (end.kind === 'stopped') return t('common.stopped');
  if (end.kind === 'failed') return null;
  if (end.reason === 'length') return t('reply.cutOff');
  if (end.reason === 'content_filter') return t('reply.filtered');
  return null;
}

function formatMs(ms: number, t: Translate): string {
  if (ms < 1000) return t('common.ms', { time: Math.round(ms) });
  return t('common.seconds', { time: localizeNumber(ms / 1000, t.tag, 1) });
}
