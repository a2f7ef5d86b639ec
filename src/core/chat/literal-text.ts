/**
 * Stands inside a text that a client wrote and that spells a control token, so that nothing takes it for that token. The
 * template's own control tokens stay whole.
 */
const BREAK = '\u{E001}';

/** Text as a template rendered it, cut where a client's text spells a control token. */
export interface TextPart {
  text: string;
  /** True for a spelling of a client's: it must become ordinary tokens. */
  literal: boolean;
}

/** Keeps what clients write from becoming control tokens. */
export interface LiteralGuard {
  /** Breaks every spelling of a control token in the strings of a value, however deep; other values stay the same objects. */
  guard<T>(value: T): T;
  /** Cuts a rendered text into its parts. Without a broken spelling it is one part. */
  split(text: string): TextPart[];
}

/** @param controlTokens the texts of the model's control tokens */
export function createLiteralGuard(controlTokens: string[]): LiteralGuard {
  // One character can't be broken, and the longest spelling counts.
  const spellings = controlTokens.filter(({ length }) => length > 1).toSorted((a, b) => b.length - a.length);
  if (spellings.length === 0) return { guard: (value) => value, split: (text) => [{ text, literal: false }] };
  const whole = new RegExp(spellings.map(escapeRegExp).join('|'), 'g');
  const broken = new RegExp(spellings.map((text) => escapeRegExp(breakText(text))).join('|'), 'g');
  const guardText = (text: string) => text.replace(whole, breakText);

  return {
    guard: (value) => mapStrings(value, guardText),
    split(text) {
      if (!text.includes(BREAK)) return [{ text, literal: false }];
      const parts: TextPart[] = [];
      let end = 0;
      for (const { 0: found, index } of text.matchAll(broken)) {
        parts.push({ text: text.slice(end, index), literal: false });
        parts.push({ text: found.replace(BREAK, ''), literal: true });
        end = index + found.length;
      }
      parts.push({ text: text.slice(end), literal: false });
      return parts.filter((part) => part.text !== '');
    },
  };
}

/** The control tokens that a template spells, by their usual looks: for engines that do not tell their vocabulary. */
export function spelledControlTokens(template = ''): string[] {
  const looks =
    /<[|｜][^<>|｜]{1,40}[|｜]>|<\/?s>|<(?:start|end)_of_[a-z]+>|\[\/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]/g;
  return [...new Set(template.match(looks) ?? [])];
}

function breakText(text: string): string {
  const [first = ''] = text;
  return first + BREAK + text.slice(first.length);
}

function mapStrings<T>(value: T, map: (text: string) => string): T {
  if (typeof value === 'string') return map(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map)) as T;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [map(key), mapStrings(inner, map)])) as T;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
