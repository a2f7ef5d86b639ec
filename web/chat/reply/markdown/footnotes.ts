import type { Token, TokenizerExtension } from 'marked';

/** The mark of a footnote in a text: `[^1]`. */
export interface NoteToken {
  type: 'note';
  raw: string;
  label: string;
}

/** The text of a footnote: `[^1]: …`, and the indented lines below. */
export interface NoteTextToken {
  type: 'noteText';
  raw: string;
  label: string;
  tokens: Token[];
}

const place: TokenizerExtension = {
  name: 'note',
  level: 'inline',
  start: (source) => found(source.indexOf('[^')),
  tokenizer(source) {
    const [raw, label] = /^\[\^([^\]\s]{1,40})\]/.exec(source) ?? [];
    return raw === undefined || label === undefined ? undefined : { type: 'note', raw, label };
  },
};

const words: TokenizerExtension = {
  name: 'noteText',
  level: 'block',
  start: (source) => found(source.search(/^\[\^[^\]\s]{1,40}\]:/m)),
  tokenizer(source) {
    const match = /^\[\^([^\]\s]{1,40})\]:[ \t]*([^\n]*(?:\n+(?: {2,}|\t)[^\n]+)*)\n*/.exec(source);
    if (!match) return undefined;
    const [raw, label = '', text = ''] = match;
    const tokens = this.lexer.blockTokens(text.replace(/^(?: {2,4}|\t)/gm, ''), []);
    return { type: 'noteText', raw, label, tokens } satisfies NoteTextToken;
  },
};

export const FOOTNOTES: TokenizerExtension[] = [place, words];

function found(index: number): number | undefined {
  return index < 0 ? undefined : index;
}
