import { GrammarFault } from './fault.ts';

/** One part of a grammar's text. `at` is its offset. */
export interface GrammarPart {
  kind: 'literal' | 'class' | 'count' | 'name' | 'definition' | '(' | ')' | '|' | '.';
  text: string;
  at: number;
}

const SKIPPED = /(?:\s|#[^\n]*(?:\n|$))*/uy;

const PART =
  /("(?:\\.|[^"\\])*")|(\[(?:\\.|[^\]\\])*\])|(\{\s*\d+\s*(?:,\s*\d*\s*)?\}|[*+?])|([\w-]+)(\s*::=)?|([()|.])/suy;

/** Splits the text of a grammar into its parts. Throws a `GrammarFault` at a character that begins no part. */
export function splitGrammar(text: string): GrammarPart[] {
  const parts: GrammarPart[] = [];
  for (let at = skip(text, 0); at < text.length; at = skip(text, PART.lastIndex)) {
    PART.lastIndex = at;
    const found = PART.exec(text);
    if (!found) throw new GrammarFault(faultOf(text, at), at);
    const [, literal, set, count, name, defines, mark] = found;
    if (literal !== undefined) parts.push({ kind: 'literal', text: literal, at });
    else if (set !== undefined) parts.push({ kind: 'class', text: set, at });
    else if (count !== undefined) parts.push({ kind: 'count', text: count, at });
    else if (name !== undefined) parts.push({ kind: defines === undefined ? 'name' : 'definition', text: name, at });
    else if (mark !== undefined) parts.push({ kind: mark as '(' | ')' | '|' | '.', text: mark, at });
  }
  return parts;
}

/** Returns the offset of the next character that is neither white space nor part of a comment. */
function skip(text: string, from: number): number {
  SKIPPED.lastIndex = from;
  SKIPPED.exec(text);
  return SKIPPED.lastIndex;
}

function faultOf(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character === '"') return 'has a text without its closing quote';
  if (character === '[') return "has a class without its ']'";
  if (character === '{') return "has a '{' that is no count such as {2} or {2,5}";
  if (character === '<' || character === '!') return 'names a token, which is not supported';
  return `has '${character}', which has no meaning here`;
}
