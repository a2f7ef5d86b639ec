import { Lexer, Marked, type MarkedOptions, type MarkedToken, type Token, type TokenizerExtension } from 'marked';
import { DETAILS, type DetailsToken } from './details.ts';
import { FOOTNOTES, type NoteTextToken, type NoteToken } from './footnotes.ts';
import { GROWING_MATH, MATH, type MathToken } from './math.ts';
import { decidedPart } from './unfinished.ts';

/** A token of a Markdown text: one of marked's, or one of the extensions here. */
export type Node = MarkedToken | MathToken | DetailsToken | NoteToken | NoteTextToken;

/** A parsed Markdown text. */
export interface Parsed {
  /** The parsed part of the text. Of a growing text, this is the part whose form can't change any more. */
  text: string;
  growing: boolean;
  /** The top-level blocks, in order. A block that has not changed is the same object as before. */
  blocks: Node[];
  /** The targets of links like `[name][1]`, by label. */
  links: Lexer['tokens']['links'];
}

type Options = MarkedOptions<string, string>;

const whole = optionsWith(MATH);
const partial = optionsWith(GROWING_MATH);

/**
 * Parses a text. `before` is the result of the last call for the same text when it was shorter: blocks that can't
 * change any more are reused.
 */
export function parse(text: string, growing: boolean, before: Parsed | null = null): Parsed {
  const lines = text.replace(/\r\n?/g, '\n');
  return growing ? readOn(decidedPart(lines), before) : readWhole(lines, before);
}

/** Returns inner tokens with a narrower type than marked's. */
export function nodes(tokens: Token[] | undefined): Node[] {
  return (tokens ?? []) as Node[];
}

/**
 * Parses the new text. Only the last block is parsed again, because it can still grow: a paragraph by lines, a list by
 * items.
 */
function readOn(text: string, before: Parsed | null): Parsed {
  const known = before?.growing && text.startsWith(before.text) ? before : null;
  if (known?.text === text) return known;
  const last = known?.blocks.findLastIndex(({ type }) => type !== 'space') ?? 0;
  const finished = known?.blocks.slice(0, Math.max(0, last)) ?? [];
  const start = finished.reduce((length, { raw }) => length + raw.length, 0);
  const { blocks, links } = read(text.slice(start), partial, known?.links);
  return { text, growing: true, blocks: [...finished, ...blocks], links };
}

/**
 * Parses the whole text again, because the target of a link may follow the link. Blocks that have not changed stay the
 * same objects.
 */
function readWhole(text: string, before: Parsed | null): Parsed {
  const { blocks, links } = read(text, whole);
  const kept = blocks.map((block, index) => {
    const old = before?.blocks[index];
    return old && isSame(old, block) ? old : block;
  });
  return { text, growing: false, blocks: kept, links };
}

/** True if a block has not changed. Only links and formulas can change while their source stays the same. */
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
