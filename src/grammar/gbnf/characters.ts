import { GrammarFault } from './fault.ts';

/** A character of a literal or a class. An escaped one stands for itself alone. */
export interface WrittenCharacter {
  codePoint: number;
  escaped: boolean;
}

const CHARACTER = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|(.))|(.)/gsu;
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' };
/** The characters that a backslash leaves as they are. */
const MARKS = '\\"[]-';

/**
 * Returns the characters of a literal or a class without its delimiters. Throws a `GrammarFault` at the offset `at` for
 * an unknown escape, and for a number that is no character.
 */
export function charactersOf(text: string, at: number): WrittenCharacter[] {
  return Array.from(text.matchAll(CHARACTER), ([whole, byte, short, long, mark, plain]) => {
    const hex = byte ?? short ?? long;
    if (hex !== undefined) return { codePoint: requireCharacter(Number.parseInt(hex, 16), whole, at), escaped: true };
    const character = plain ?? ESCAPES[mark ?? ''] ?? mark ?? '';
    if (mark !== undefined && !ESCAPES[mark] && !MARKS.includes(mark))
      throw new GrammarFault(`has '${whole}', which is no escape of GBNF`, at);
    return { codePoint: requireCharacter(character.codePointAt(0) ?? 0, whole, at), escaped: mark !== undefined };
  });
}

/** Returns the code point, unless it is beyond Unicode or half of a surrogate pair. */
function requireCharacter(codePoint: number, written: string, at: number): number {
  if (codePoint <= 0xd7ff || (codePoint >= 0xe000 && codePoint <= 0x10ffff)) return codePoint;
  throw new GrammarFault(`has '${written.toWellFormed()}', which is no character`, at);
}
