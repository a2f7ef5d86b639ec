import type { Token, TokenizerExtension } from 'marked';

/** A `<details>` element with Markdown in it. */
export interface DetailsToken {
  type: 'details';
  raw: string;
  /** True if the element has the attribute `open`. */
  unfolded: boolean;
  summary: Token[];
  tokens: Token[];
}

/** A `<summary>` without an end tag ends with its line. */
const SUMMARY = /^\s*<summary[^>]*>(?:([\s\S]*?)<\/summary>|([^\n]*))/i;

const BEGINNING = /^ {0,3}<details(\s[^>]*)?>/i;

/** Reads `<details>` up to its own `</details>` or, as in HTML, up to the end of the text. */
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

/**
 * Finds the end tag of the element whose content begins at `start`. Returns the index at which the tag begins and the
 * index after it.
 */
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
