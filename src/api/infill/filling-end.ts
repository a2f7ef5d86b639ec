/** The limits of llama-server at which a filling ends. */
export interface FillingLimits {
  /** The least indentation of a line after the first one, in characters. */
  indent: number;
  /** After this time, in ms, the filling ends with its line; 0 for no limit. */
  timeMs: number;
}

/** Tells when a filling ends, by the pieces of its text. */
export interface FillingEnd {
  /** The text so far, without a line that is indented too little. */
  readonly text: string;
  /** The length of its beginning that stays, whatever comes: without a last line whose indentation is not known yet. */
  readonly certain: number;
  /** Adds a piece that came `ms` after the first one. Returns true if the filling ends with it. */
  add(piece: string, ms: number): boolean;
}

/** Makes the ending of one filling. */
export function createFillingEnd({ indent, timeMs }: FillingLimits): FillingEnd {
  let text = '';
  return {
    get text() {
      return text;
    },
    get certain() {
      return indent > 0 ? text.length - undecidedEnd(text, indent) : text.length;
    },
    add(piece, ms) {
      text += piece;
      const cut = indent > 0 ? firstShallowLine(text, indent) : -1;
      if (cut >= 0) {
        text = text.slice(0, cut);
        return true;
      }
      return timeMs > 0 && ms > timeMs && piece.includes('\n');
    },
  };
}

/** Returns the length of the last line, after the first one, if it has nothing but less than `indent` spaces and tabs so far. */
function undecidedEnd(text: string, indent: number): number {
  const start = text.lastIndexOf('\n') + 1;
  const line = text.slice(start);
  return start > 0 && line.length < indent && /^[ \t]*$/.test(line) ? line.length : 0;
}

/** Returns where the first line after the first one begins that has text after less than `indent` spaces and tabs; -1 without one. */
function firstShallowLine(text: string, indent: number): number {
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
    const [spaces = ''] = /^[ \t]*/.exec(text.slice(end + 1, end + 1 + indent)) ?? [];
    const next = text[end + 1 + spaces.length];
    if (spaces.length < indent && next !== undefined && next !== '\n') return end + 1;
  }
  return -1;
}
