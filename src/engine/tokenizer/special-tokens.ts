import type { Strips } from './attributes.ts';

/** A special token: its text and its id. */
export interface SpecialToken {
  text: string;
  id: number;
}

/** Cuts a text into the ids of the special tokens that it spells, and the text between them. */
export type SplitSpecial = (text: string) => (string | number)[];

interface Match extends SpecialToken {
  start: number;
}

/**
 * Makes the function that cuts a text at these tokens. As in llama.cpp, a longer token wins over a shorter one wherever
 * they overlap. The time grows with the number of different token lengths, but not with the number of tokens, which is
 * up to 15,000.
 */
export function createSpecialSplitter(tokens: SpecialToken[], strips: Strips): SplitSpecial {
  const ids = new Map(tokens.map(({ text, id }) => [text, id]));
  ids.delete('');
  const lengthsByStart = new Map<string, Set<number>>();
  for (const text of ids.keys()) {
    const start = text.slice(0, 1);
    const lengths = lengthsByStart.get(start) ?? new Set();
    lengthsByStart.set(start, lengths.add(text.length));
  }
  if (ids.size === 0) return (text) => (text === '' ? [] : [text]);
  const starts = new RegExp(`[${[...lengthsByStart.keys()].map(escaped).join('')}]`, 'g');
  const utf8 = new TextEncoder();
  const byteLengths = new Map([...ids.keys()].map((text) => [text, utf8.encode(text).length]));

  const matchesIn = (text: string): Match[] => {
    const matches: Match[] = [];
    for (const { index, 0: start } of text.matchAll(starts)) {
      for (const length of lengthsByStart.get(start) ?? []) {
        const spelled = text.slice(index, index + length);
        const id = ids.get(spelled);
        if (id !== undefined) matches.push({ text: spelled, id, start: index });
      }
    }
    return matches;
  };
  const longestFirst = (a: Match, b: Match) =>
    (byteLengths.get(b.text) ?? 0) - (byteLengths.get(a.text) ?? 0) || a.id - b.id || a.start - b.start;

  return (text) => {
    const taken = new Uint8Array(text.length);
    const kept: Match[] = [];
    for (const match of matchesIn(text).sort(longestFirst)) {
      const end = match.start + match.text.length;
      if (taken[match.start] || taken[end - 1]) continue;
      taken.fill(1, match.start, end);
      kept.push(match);
    }
    return cut(
      text,
      kept.sort((a, b) => a.start - b.start),
      strips,
    );
  };
}

function cut(text: string, matches: Match[], strips: Strips): (string | number)[] {
  const parts: (string | number)[] = [];
  let end = 0;
  for (const match of matches) {
    const before = text.slice(end, match.start);
    const side = strips(match.text);
    const kept = side === 'left' ? before.replace(/[\t-\r ]+$/, '') : before;
    if (kept !== '') parts.push(kept);
    parts.push(match.id);
    end = match.start + match.text.length;
    if (side === 'right') end += /^[\t-\r ]*/.exec(text.slice(end))?.[0].length ?? 0;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

function escaped(character: string): string {
  return /[\w\s]/.test(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
