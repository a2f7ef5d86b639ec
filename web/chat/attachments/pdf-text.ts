/** A piece of a page's text, as PDF.js returns it. */
export interface TextPiece {
  str: string;
  /** True if this piece is the last one of its line. */
  hasEOL: boolean;
}

/**
 * Returns the text of a page in lines, without spaces at the ends of lines and without more than one empty line in a
 * row.
 */
export function textOfPage(pieces: TextPiece[]): string {
  const text = pieces.map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str)).join('');
  return text
    .replace(/[^\S\n]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Returns the text of all pages, each below its number if there are several. Returns '' if no page has text. */
export function textOfPages(pages: string[]): string {
  if (pages.every((page) => page === '')) return '';
  if (pages.length === 1) return pages[0] ?? '';
  return pages.map((page, index) => `[Page ${index + 1}]\n${page}`.trim()).join('\n\n');
}
