import type { CacheMiss, ReplyEnd, ReplyStats } from './conversation.ts';

/** Writes a remaining time in seconds, rounded. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Writes the length of a recording in seconds as players show it: 1:05. */
export function formatLength(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

export function formatRate(tokensPerSecond: number): string {
  return `${tokensPerSecond < 10 ? tokensPerSecond.toFixed(1) : Math.round(tokensPerSecond)} tokens/s`;
}

/** Writes a reply's figures on one line. */
export function formatStats({ tokens, tokensPerSecond, firstTokenMs }: ReplyStats): string {
  return [
    formatTokens(tokens),
    ...(tokensPerSecond === null ? [] : [formatRate(tokensPerSecond)]),
    ...(firstTokenMs === null ? [] : [`first after ${formatMs(firstTokenMs)}`]),
  ].join(' · ');
}

const MISSES: Record<CacheMiss, string> = {
  new: 'Nothing like it was cached.',
  changed: 'What was cached begins alike and then goes on differently.',
  evicted: 'More of it was cached once, and made room for others.',
};

/** Writes all of a reply's figures, a sentence each. */
export function explainStats({ promptTokens, cachedTokens, totalMs, miss }: ReplyStats): string[] {
  return [
    `The prompt had ${formatTokens(promptTokens)}, ${cachedTokens.toLocaleString('en')} of them cached.`,
    ...(miss ? [MISSES[miss]] : []),
    `The reply took ${formatMs(totalMs)}.`,
  ];
}

function formatTokens(tokens: number): string {
  return tokens === 1 ? '1 token' : `${tokens.toLocaleString('en')} tokens`;
}

/** Says how a reply ended; null if it ended in the normal way or its error is shown elsewhere. */
export function endNote(end: ReplyEnd): string | null {
  if (end.kind === 'stopped') return 'Stopped.';
  if (end.kind === 'failed') return null;
  if (end.reason === 'length') return 'Cut off: as many tokens as it may have, or as fit the context window.';
  if (end.reason === 'content_filter') return 'Ended by the content filter of this server.';
  return null;
}

function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
