/** An HTML tag that models use within Markdown and that only changes how text looks. */
export interface HtmlTag {
  name: string;
  /** True for `</b>`. */
  closing: boolean;
}

const HARMLESS = /^<(\/?)(br|sub|sup|kbd|mark|b|i|u|s|em|strong)\s*\/?>$/i;

/** Reads a tag. Returns null for any other HTML, which is shown as text, because the page must not run it. */
export function readTag(html: string): HtmlTag | null {
  const [tag, slash, name = ''] = HARMLESS.exec(html.trim()) ?? [];
  return tag === undefined ? null : { name: name.toLowerCase(), closing: slash === '/' };
}
