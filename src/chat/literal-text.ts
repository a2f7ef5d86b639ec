import type { TextPart } from '../contract/prompt.ts';

/**
 * The character that is put into a client's text that spells a control token, so that the text does not become the
 * token. The template's own control tokens stay whole.
 */
const BREAK = '\u{E001}';

/** Keeps what clients write from becoming control tokens. */
export interface LiteralGuard {
  /**
   * Puts the mark into every spelled control token in the strings of a value, at any depth. A value without any is
   * returned as it is.
   */
  guard<T>(value: T): T;
  /**
   * Splits a rendered text at the control tokens of the template and at spelled control tokens. Without a spelled one,
   * the result is one part. There is at most one part more than the template has control tokens: the text between two
   * of them is one part, however many control tokens it spells.
   */
  split(text: string): TextPart[];
}

/** @param controlTokens the texts of the model's control tokens */
export function createLiteralGuard(controlTokens: string[]): LiteralGuard {
  const spellings = spellingsOf(controlTokens);
  if (spellings.length === 0) return { guard: (value) => value, split: (text) => [{ text, literal: false }] };
  const guardText = createSpellingBreaker(controlTokens, BREAK);
  const whole = alternatives(spellings);
  const broken = alternatives(spellings.map((text) => breakText(text, BREAK)));

  return {
    guard: (value) => mapStrings(value, guardText),
    split(text) {
      if (!text.includes(BREAK)) return [{ text, literal: false }];
      const parts: { pieces: string[]; literal: boolean }[] = [];
      const add = (piece: string, literal: boolean) => {
        const last = parts.at(-1);
        // A piece without a control token becomes ordinary tokens in any case, so it joins a literal part before it.
        const joins = literal || piece.search(whole) < 0;
        if (last?.literal && joins) last.pieces.push(piece);
        else if (piece !== '') parts.push({ pieces: [piece], literal });
      };
      let end = 0;
      for (const { 0: found, index } of text.matchAll(broken)) {
        add(text.slice(end, index), false);
        add(found.replace(BREAK, ''), true);
        end = index + found.length;
      }
      add(text.slice(end), false);
      return parts.map(({ pieces, literal }) => ({ text: pieces.join(''), literal }));
    },
  };
}

/** Makes a function that puts a mark into every spelling of a control token in a text. */
export function createSpellingBreaker(controlTokens: string[], mark: string): (text: string) => string {
  const spellings = spellingsOf(controlTokens);
  if (spellings.length === 0) return (text) => text;
  const whole = alternatives(spellings);
  return (text) => text.replace(whole, (found) => breakText(found, mark));
}

/** Returns the control tokens of two characters or more, the longest first: a single character can't be broken. */
function spellingsOf(controlTokens: string[]): string[] {
  return controlTokens.filter(({ length }) => length > 1).toSorted((a, b) => b.length - a.length);
}

function alternatives(texts: string[]): RegExp {
  return new RegExp(texts.map(escapeRegExp).join('|'), 'g');
}

/** Returns the control tokens in a template, by their usual form. For engines that do not give their vocabulary. */
export function spelledControlTokens(template = ''): string[] {
  const looks =
    /<[|｜][^<>|｜]{1,40}[|｜]>|<\/?s>|<(?:start|end)_of_[a-z]+>|\[\/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]/g;
  return [...new Set(template.match(looks) ?? [])];
}

function breakText(text: string, mark: string): string {
  const [first = ''] = text;
  return first + mark + text.slice(first.length);
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
