import type { RendererExtension, TokenizerExtension } from 'marked';
import { escapeHtml } from './escape-html.ts';

// Markdown takes a backslash as an escape, so it would corrupt LaTeX: `\(O(n^2)\)` would become `(O(n^2))`. These
// extensions take formulas out of its hands. They are shown as they were written.

type MathExtension = TokenizerExtension & RendererExtension;

/** A formula on lines of its own: `\[ … \]` or `$$ … $$`. */
export const mathBlock: MathExtension = {
  name: 'mathBlock',
  level: 'block',
  start: (source) => found(source.search(/^ {0,3}(?:\\\[|\$\$)/m)),
  tokenizer(source) {
    const match = /^ {0,3}(?:\\\[[\s\S]+?\\\]|\$\$[\s\S]+?\$\$)[ \t]*(?:\n|$)/.exec(source);
    return match ? { type: 'mathBlock', raw: match[0], text: match[0].trim() } : undefined;
  },
  renderer: ({ text }) => `<div class="math">${escapeHtml(String(text))}</div>`,
};

/** A formula in a line: `\( … \)`, `\[ … \]`, `$$ … $$`, or `$ … $` without a space inside of the signs. */
export const mathInline: MathExtension = {
  name: 'mathInline',
  level: 'inline',
  start: (source) => found(source.search(/\\[([]|\$/)),
  tokenizer(source) {
    const match =
      /^(?:\\\([\s\S]+?\\\)|\\\[[\s\S]+?\\\]|\$\$[^$]+\$\$|\$(?![\s$\d])(?:\\[\s\S]|[^\\$\n])*?[^\s\\$]\$(?!\d))/.exec(
        source,
      );
    return match ? { type: 'mathInline', raw: match[0], text: match[0] } : undefined;
  },
  renderer: ({ text }) => `<span class="math">${escapeHtml(String(text))}</span>`,
};

function found(index: number): number | undefined {
  return index < 0 ? undefined : index;
}
