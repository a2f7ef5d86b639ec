/** A piece of a page's text, as PDF.js gives it. */
export interface TextPiece {
  str: string;
  /** True if a line ends with it. */
  hasEOL: boolean;
}

/** The text of a page: its pieces in lines, without spaces at their ends, and with one empty line where there are more. */
export function textOfPage(pieces: TextPiece[]): string {
  const text = pieces.map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str)).join('');
  return text
    .replace(/[^\S\n]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The text of all pages. Each begins with its number if there are several. Empty if no page has text. */
export function textOfPages(pages: string[]): string {
  if (pages.every((page) => page === '')) return '';
  if (pages.length === 1) return pages[0] ?? '';
  return pages.map((page, index) => `[Page ${index + 1}]\n${page}`.trim()).join('\n\n');
}
