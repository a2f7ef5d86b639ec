/**
 * Returns the text that another app shares with the page, from the query of the address (`share_target` in
 * `app.webmanifest`): title, text and link on a line each. Returns null if nothing is shared. Many apps put the link
 * into the text too, so a part that another part contains is left out.
 */
export function sharedText(search: string): string | null {
  const query = new URLSearchParams(search);
  const parts = ['title', 'text', 'url'].map((name) => query.get(name)?.trim() ?? '');
  const isSaid = (part: string, index: number) =>
    parts.some((other, at) => at !== index && other.includes(part) && (other !== part || at < index));
  const said = parts.filter((part, index) => part !== '' && !isSaid(part, index));
  return said.length === 0 ? null : said.join('\n');
}
