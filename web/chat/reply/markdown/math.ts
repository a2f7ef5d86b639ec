import type { TokenizerExtension } from 'marked';

// Markdown reads a backslash as an escape, which would corrupt LaTeX: `\(O(n^2)\)` would become `(O(n^2))`. These
// extensions read formulas before Markdown does.

export interface MathToken {
  type: 'math';
  raw: string;
  /** The LaTeX source, without its delimiters. */
  text: string;
  /** True for a formula on its own lines. */
  display: boolean;
  /** True if the closing delimiter has not arrived yet. */
  open: boolean;
}

/** The longest formula without a closing delimiter, in characters. A longer text is not a formula. */
const LONGEST_OPEN = 2000;

/** A formula on its own lines: `\[ … \]` or `$$ … $$`. */
const block: TokenizerExtension = {
  name: 'math',
  level: 'block',
  start: (source) => found(source.search(/^ {0,3}(?:\\\[|\$\$)/m)),
  tokenizer(source) {
    const match = /^ {0,3}(?:\\\[([\s\S]+?)\\\]|\$\$([\s\S]+?)\$\$)[ \t]*(?:\n|$)/.exec(source);
    return match ? toToken(match[0], match[1] ?? match[2], { display: true, open: false }) : undefined;
  },
};

/** A formula in a line: `\( … \)`, `\[ … \]`, `$$ … $$` or `$ … $`. */
const inline: TokenizerExtension = {
  name: 'mathInline',
  level: 'inline',
  start: (source) => found(source.search(/\\[([]|\$/)),
  tokenizer(source, before) {
    const match = /^(?:\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]|\$\$([^$]+)\$\$)/.exec(source);
    if (match) {
      const [raw, inLine, ...displayed] = match;
      return toToken(raw, inLine ?? displayed.find(Boolean), { display: inLine === undefined, open: false });
    }
    const dollars = betweenDollars(source, before.at(-1)?.raw ?? '');
    return dollars === null ? undefined : toToken(`$${dollars}$`, dollars, { display: false, open: false });
  },
};

/** An unclosed formula at the end of a growing text. A single `$` does not begin one, because it may be a price. */
const openBlock: TokenizerExtension = {
  name: 'openMath',
  level: 'block',
  start: (source) => found(source.search(/^ {0,3}(?:\\\[|\$\$)/m)),
  tokenizer(source) {
    if (source.length > LONGEST_OPEN) return undefined;
    const match = /^ {0,3}(?:\\\[((?:(?!\\\])[\s\S])*)|\$\$(?![ \t])((?:(?!\$\$)[\s\S])*))$/.exec(source);
    return match ? toToken(match[0], match[1] ?? match[2], { display: true, open: true }) : undefined;
  },
};

const openInline: TokenizerExtension = {
  name: 'openMathInline',
  level: 'inline',
  start: (source) => found(source.search(/\\[([]|\$\$/)),
  tokenizer(source) {
    if (source.length > LONGEST_OPEN) return undefined;
    const match = /^(?:\\\(((?:(?!\\\))[\s\S])*)|\\\[((?:(?!\\\])[\s\S])*)|\$\$(?!\s)([^$]*))$/.exec(source);
    return match ? toToken(match[0], match[1] ?? match[2] ?? match[3], { display: false, open: true }) : undefined;
  },
};

/** The extensions for a complete text. */
export const MATH: TokenizerExtension[] = [block, inline];

/** The extensions for a growing text. */
export const GROWING_MATH: TokenizerExtension[] = [...MATH, openBlock, openInline];

/**
 * Returns the text between two dollar signs if it is a formula; null if the signs are prices or shell variables. A
 * formula has no space just inside the signs, no letter or digit just outside, and does not look like a price.
 */
function betweenDollars(source: string, before: string): string | null {
  const match = /^\$(?![\s$])((?:\\[\s\S]|[^\\$\n])*?[^\s\\$])\$(?![\dA-Z_])/.exec(source);
  const formula = match?.[1];
  if (formula === undefined || /[\p{L}\d$]$/u.test(before)) return null;
  const likePrice = /^\d/.test(formula) && !/[\\^_={}<>+*]/.test(formula) && !/^\d+[a-z]?$/.test(formula);
  return likePrice ? null : formula;
}

function toToken(raw: string, text: string | undefined, kind: Pick<MathToken, 'display' | 'open'>): MathToken {
  return { type: 'math', raw, text: (text ?? '').trim(), ...kind };
}

function found(index: number): number | undefined {
  return index < 0 ? undefined : index;
}
