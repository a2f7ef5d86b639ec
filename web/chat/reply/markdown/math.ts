import type { TokenizerExtension } from 'marked';

// Markdown takes a backslash as an escape, so it would corrupt LaTeX: `\(O(n^2)\)` would become `(O(n^2))`. These
// extensions take formulas out of its hands.

export interface MathToken {
  type: 'math';
  raw: string;
  /** LaTeX without the signs around it. */
  text: string;
  /** True for a formula on lines of its own. */
  display: boolean;
  /** True if its end has not come yet. */
  open: boolean;
}

/** A formula that has no end by then is none: somebody wrote these signs for something else. */
const LONGEST_OPEN = 2000;

/** A formula on lines of its own: `\[ … \]` or `$$ … $$`. */
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

/** A formula whose end may still come, at the end of a growing text. A single `$` begins none: it may be money. */
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

/** For a text that is complete. */
export const MATH: TokenizerExtension[] = [block, inline];

/** For a text that still grows. */
export const GROWING_MATH: TokenizerExtension[] = [...MATH, openBlock, openInline];

/**
 * Returns what stands between two dollar signs if it is a formula, and null if they stand for money or a shell's
 * variables: no space inside of the signs, no letter or digit outside of them, and after a digit something that prices
 * do not have.
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
