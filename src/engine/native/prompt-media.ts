import type { MediaPiece } from './llama/media/projector.ts';
import { type MediaRows, sliceRows } from './llama/media/rows.ts';

/** A piece of an image or a recording in a prompt. */
export interface PlacedPiece extends MediaPiece {
  /** The number of tokens before it in the prompt. */
  from: number;
}

/** The embeddings of a prompt's images and recordings, one piece after the other, as its prefill comes to them. */
export interface PromptMedia {
  /**
   * Resolves when the piece at the place of a token can be evaluated, when encoding it has failed, or when the signal
   * aborts. undefined if there is nothing to wait for. Never rejects.
   */
  awaited(at: number): Promise<void> | undefined;
  /**
   * Returns the rows of the piece at the place of a token, from that token on: up to `end`, or to the end of a piece that
   * has to be evaluated in one pass. null if a token of the vocabulary is there. Throws if encoding has failed.
   */
  rowsAt(at: number, end: number): MediaRows | null;
  /** Returns the place of the first piece after a token; infinite if there is none. */
  nextAfter(at: number): number;
}

/** @param signal its abort ends the waiting, though not the encoding that is under way */
export function createPromptMedia(pieces: readonly PlacedPiece[], signal: AbortSignal): PromptMedia {
  /** The latest piece that was asked for, what came of it, and the waiting for it. */
  let current:
    | { piece: PlacedPiece; rows?: MediaRows; failure?: { error: unknown }; waiting: Promise<void> }
    | undefined;

  const pieceAt = (at: number) => pieces.find(({ from, tokens }) => from <= at && at < from + tokens.length);

  const begin = (piece: PlacedPiece) => {
    const begun: NonNullable<typeof current> = { piece, waiting: Promise.resolve() };
    const encoded = piece.encode(signal).then(
      (rows) => {
        begun.rows = rows;
      },
      (error: unknown) => {
        begun.failure = { error };
      },
    );
    begun.waiting = untilAborted(encoded, signal);
    return begun;
  };

  return {
    awaited(at) {
      const piece = pieceAt(at);
      if (!piece || signal.aborted) return undefined;
      if (current?.piece !== piece) current = begin(piece);
      return current.rows || current.failure ? undefined : current.waiting;
    },
    rowsAt(at, end) {
      const piece = pieceAt(at);
      if (!piece) return null;
      if (current?.failure) throw current.failure.error;
      if (current?.piece !== piece || !current.rows) throw new Error('an image or a recording is not encoded yet');
      const stop = piece.whole ? piece.tokens.length : Math.min(piece.tokens.length, end - piece.from);
      return sliceRows(current.rows, at - piece.from, stop);
    },
    nextAfter: (at) => Math.min(...pieces.map(({ from }) => from).filter((from) => from > at)),
  };
}

/** Resolves when the promise does, or when the signal aborts. */
function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end);
    void promise.then(end);
  });
}
