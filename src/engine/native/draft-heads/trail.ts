import type { Token } from '../llama/tokens/token.ts';

/** Tokens that a cache is to evaluate, each with the hidden row of the token before it. */
export interface Pairs {
  /** The position of the first token. */
  at: number;
  tokens: Token[];
  /** The rows, one after the other. */
  hidden: Float32Array;
}

/**
 * How far the cache of an MTP layer or an EAGLE-3 draft model has followed one sequence. Either evaluates a token
 * together with the hidden row that the model has computed for the token before it. So the cache lags behind, or is one
 * token ahead, by the token that was drawn last and that the model itself has not evaluated.
 */
export interface Trail {
  /** The number of tokens that the cache lacks. */
  readonly lag: number;
  /** True if the token after those of the sequence can be evaluated: the row before it is known. */
  readonly canGoAhead: boolean;
  /**
   * Notes that the model has evaluated tokens, and their hidden rows. Returns the position from which on the cache has to
   * drop what it holds; undefined if it drops nothing. After a gap the cache begins anew: guesses then know less of the text.
   */
  pass(at: number, tokens: readonly Token[], rows: readonly Float32Array[]): number | undefined;
  /** Notes that the sequence has kept its first `length` tokens alone. Returns the same as `pass`. */
  cut(length: number): number | undefined;
  /** Takes the place of what another one has noted, of whose sequence this one's holds the first `length` tokens. */
  copy(other: Trail, length: number): number | undefined;
  /** Returns the next tokens that the cache lacks, `most` of them or fewer, followed by a token of which it gets ahead. */
  pairs(most: number, ahead?: Token): Pairs;
  /** Notes that the cache holds what `pairs` has returned. Returns the position after the last of its tokens. */
  evaluated(count: number, ahead?: Token): number;
  /** All that it has noted, for `copy`. */
  readonly notes: Readonly<Notes>;
}

interface Notes {
  /** The position after the last token in the cache. */
  end: number;
  /** The tokens of the sequence that the cache lacks, and the row before each of them and after the last. */
  tokens: Token[];
  rows: Float32Array[];
  /** The last token of the cache, if the sequence does not have it yet. */
  ahead: Token | undefined;
}

/**
 * Makes the trail of an empty sequence. Where a row is unknown, a row of zeros stands.
 *
 * @param width the numbers of a row
 * @param first the position of the first token that the cache evaluates: 0, with no row before it, or 1
 */
export function createTrail(width: number, first: 0 | 1 = 0): Trail {
  const unknown = new Float32Array(width);
  let notes: Notes = { end: 0, tokens: [], rows: [unknown], ahead: undefined };

  const restart = (end: number) => {
    notes = { end, tokens: [], rows: [unknown], ahead: undefined };
  };
  const lengthOf = ({ end, tokens, ahead }: Notes) => (ahead === undefined ? end + tokens.length : end - 1);
  /** Adds tokens that the model has evaluated. */
  const add = (tokens: readonly Token[], rows: readonly Float32Array[]) => {
    notes.tokens.push(...tokens);
    notes.rows.push(...rows);
    if (notes.end >= first || tokens.length === 0) return;
    notes.end = first;
    notes.tokens.shift();
    notes.rows.shift();
  };
  const cut = (length: number): number | undefined => {
    const { end, tokens, rows } = notes;
    if (length >= lengthOf(notes)) return undefined;
    if (length >= end) {
      tokens.length = length - end;
      rows.length = tokens.length + 1;
      return undefined;
    }
    restart(length);
    return length;
  };

  return {
    get lag() {
      return notes.tokens.length;
    },
    get canGoAhead() {
      return notes.ahead === undefined && notes.rows.at(-1) !== unknown;
    },
    get notes() {
      return notes;
    },
    pass(at, tokens, rows) {
      const { ahead, end } = notes;
      if (ahead !== undefined && at === end - 1) {
        if (tokens[0] === ahead) {
          notes = { end, tokens: tokens.slice(1), rows: [...rows], ahead: undefined };
          return undefined;
        }
        restart(at);
        add(tokens, rows);
        return at;
      }
      const isGap = at > lengthOf(notes);
      const dropped = isGap ? 0 : cut(at);
      if (isGap) restart(at);
      add(tokens, rows);
      return dropped;
    },
    cut,
    copy(other, length) {
      const { end, tokens, rows, ahead } = other.notes;
      notes = { end, tokens: [...tokens], rows: [...rows], ahead };
      return cut(length) ?? end;
    },
    pairs(most, ahead) {
      const lacking = notes.tokens.slice(0, most);
      const tokens = ahead === undefined ? lacking : [...lacking, ahead];
      const hidden = new Float32Array(tokens.length * width);
      for (const index of tokens.keys()) hidden.set(notes.rows[index] ?? unknown, index * width);
      return { at: notes.end, tokens, hidden };
    },
    evaluated(count, ahead) {
      const { end, tokens, rows } = notes;
      const lacking = count - (ahead === undefined ? 0 : 1);
      // A row may be a part of all rows of a long pass, which would stay in memory with it.
      const kept = ahead === undefined ? rows.slice(lacking).map((row) => (row === unknown ? row : row.slice())) : [];
      notes = { end: end + count, tokens: tokens.slice(lacking), rows: kept, ahead };
      return notes.end;
    },
  };
}
