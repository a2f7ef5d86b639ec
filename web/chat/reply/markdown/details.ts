import type { Token, TokenizerExtension } from 'marked';

/** A part that a reader unfolds: `<details>`, with Markdown in it. */
export interface DetailsToken {
  type: 'details';
  raw: string;
  /** True if the text says that it begins unfolded. */
  unfolded: boolean;
  summary: Token[];
  tokens: Token[];
}

/** One without an end is a line long. */
const SUMMARY = /^\s*<summary[^>]*>(?:([\s\S]*?)<\/summary>|([^\n]*))/i;

const BEGINNING = /^ {0,3}<details(\s[^>]*)?>/i;

/** It ends at its own `</details>` or, as in HTML, at the end of the text. */
export const DETAILS: TokenizerExtension = {
  name: 'details',
  level: 'block',
  start: (source) => {
    const index = source.search(/^ {0,3}<details[\s>]/im);
    return index < 0 ? undefined : index;
  },
  tokenizer(source) {
    const beginning = BEGINNING.exec(source);
    if (!beginning) return undefined;
    const end = endOf(source, beginning[0].length);
    const inside = source.slice(beginning[0].length, end.inside);
    const [head = '', closed, open] = SUMMARY.exec(inside) ?? [];
    return {
      type: 'details',
      raw: source.slice(0, end.outside),
      unfolded: /\sopen\b/i.test(beginning[1] ?? ''),
      summary: this.lexer.inlineTokens((closed ?? open ?? '').trim()),
      tokens: this.lexer.blockTokens(inside.slice(head.length).replace(/^\n+/, ''), []),
    } satisfies DetailsToken;
  },
};

/** Finds the end tag that belongs to the element whose inside begins at `start`: where it begins and where it ends. */
function endOf(source: string, start: number): { inside: number; outside: number } {
  const tags = /<details[\s>]|<\/details\s*>[ \t]*\n*/gi;
  tags.lastIndex = start;
  let depth = 1;
  for (let tag = tags.exec(source); tag; tag = tags.exec(source)) {
    depth += tag[0].startsWith('</') ? -1 : 1;
    if (depth === 0) return { inside: tag.index, outside: tags.lastIndex };
  }
  return { inside: source.length, outside: source.length };
}
