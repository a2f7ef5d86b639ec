import { Lexer, Marked, type MarkedOptions, type MarkedToken, type Token, type TokenizerExtension } from 'marked';
import { DETAILS, type DetailsToken } from './details.ts';
import { FOOTNOTES, type NoteTextToken, type NoteToken } from './footnotes.ts';
import { GROWING_MATH, MATH, type MathToken } from './math.ts';
import { decidedPart } from './unfinished.ts';

/** A part of a Markdown text: one of marked's tokens or of our extensions. */
export type Node = MarkedToken | MathToken | DetailsToken | NoteToken | NoteTextToken;

/** A text, read as Markdown. */
export interface Parsed {
  /** What was read: of a growing text the part whose look is decided. */
  text: string;
  growing: boolean;
  /** Its top-level parts, in order. One that has not changed is the same object as before. */
  blocks: Node[];
  /** The targets of links like `[name][1]`, by label. */
  links: Lexer['tokens']['links'];
}

type Options = MarkedOptions<string, string>;

const whole = optionsWith(MATH);
const partial = optionsWith(GROWING_MATH);

/**
 * Reads a text. `before` is what the last call gave for the same text when it was shorter: the parts that can not change
 * any more are taken from there.
 */
export function parse(text: string, growing: boolean, before: Parsed | null = null): Parsed {
  const lines = text.replace(/\r\n?/g, '\n');
  return growing ? readOn(decidedPart(lines), before) : readWhole(lines, before);
}

/** Returns the tokens inside of one. marked's type says less of them. */
export function nodes(tokens: Token[] | undefined): Node[] {
  return (tokens ?? []) as Node[];
}

/** Reads what has come since. Only the last part can still go on: a paragraph gets more lines, a list more items. */
function readOn(text: string, before: Parsed | null): Parsed {
  const known = before?.growing && text.startsWith(before.text) ? before : null;
  if (known?.text === text) return known;
  const last = known?.blocks.findLastIndex(({ type }) => type !== 'space') ?? 0;
  const finished = known?.blocks.slice(0, Math.max(0, last)) ?? [];
  const start = finished.reduce((length, { raw }) => length + raw.length, 0);
  const { blocks, links } = read(text.slice(start), partial, known?.links);
  return { text, growing: true, blocks: [...finished, ...blocks], links };
}

/** Reads all anew, because a link's target may stand after the link. What comes out the same stays the same object. */
function readWhole(text: string, before: Parsed | null): Parsed {
  const { blocks, links } = read(text, whole);
  const kept = blocks.map((block, index) => {
    const old = before?.blocks[index];
    return old && isSame(old, block) ? old : block;
  });
  return { text, growing: false, blocks: kept, links };
}

/** Links and formulas alone may have become others while their own text stayed the same. */
function isSame(old: Node, block: Node): boolean {
  if (old.type !== block.type || old.raw !== block.raw) return false;
  return !/[[\\$]/.test(block.raw) || JSON.stringify(old) === JSON.stringify(block);
}

function read(text: string, options: Options, links: Parsed['links'] = {}): Pick<Parsed, 'blocks' | 'links'> {
  const lexer = new Lexer<string, string>(options);
  Object.assign(lexer.tokens.links, links);
  const blocks = nodes(lexer.lex(text));
  return { blocks, links: lexer.tokens.links };
}

function optionsWith(math: TokenizerExtension[]): Options {
  const marked = new Marked({ gfm: true, breaks: true });
  marked.use({ extensions: [...math, ...FOOTNOTES, DETAILS] });
  return marked.defaults;
}
