import { sharedStart } from '../../../utils/shared-start.ts';

/** Returns the length of the text that both end with. */
export function sharedEnd(some: string, other: string): number {
  const most = Math.min(some.length, other.length);
  let length = 0;
  while (length < most && some.at(-1 - length) === other.at(-1 - length)) length++;
  return length;
}

/**
 * Returns the texts before, between and after the needles, which are searched for in their order. Undefined if a needle
 * is missing.
 */
export function splitAt(text: string, needles: readonly string[]): string[] | undefined {
  const parts: string[] = [];
  let from = 0;
  for (const needle of needles) {
    const at = text.indexOf(needle, from);
    if (at < 0) return undefined;
    parts.push(text.slice(from, at));
    from = at + needle.length;
  }
  return [...parts, text.slice(from)];
}

/** Returns the text that all texts begin with, without a mark that it cuts. */
export function commonStart(some: string, other: string): string {
  const shared = some.slice(0, sharedStart(some, other));
  return shared === some || shared === other ? shared : shared.slice(0, uncutLength(shared));
}

/** Returns the text that both texts end with, without a mark that it cuts. */
export function commonEnd(some: string, other: string): string {
  const shared = some.slice(some.length - sharedEnd(some, other));
  if (shared === some || shared === other) return shared;
  const open = shared.search(/[<[{]/);
  const close = shared.search(/[>\]}]/);
  // A mark that closes before any opens was cut.
  return close >= 0 && (open < 0 || close < open) ? shared.slice(close + 1) : shared;
}

function uncutLength(text: string): number {
  const open = text.lastIndexOf('<');
  return open >= 0 && !text.slice(open).includes('>') ? open : text.length;
}
