import { bodyInSmallPieces, bodyTooLarge, bodyTooSlow } from '../api/http/refusals.ts';
import { overloaded, serverError } from '../contract/errors.ts';
import { type ArrivingBody, createBodyBytes, createBodyText, type Look } from './body-text.ts';

/** The limits for the bodies of requests. */
export interface BodyLimits {
  /** The largest body, in bytes. */
  bytes: number;
  /** The most bytes in all bodies of requests that are not answered yet, and in their large replies. */
  inFlightBytes: number;
  /** The longest time for a body to arrive, in ms. */
  timeMs: number;
}

/** Passes on the pieces of a body as they arrive. The memory of a piece is reused after each call. */
export type OnBody = (take: (piece: Uint8Array, isLast: boolean) => void) => void;

/** The body of one request, and the room that its reply takes. */
export interface Body {
  /**
   * Reads the body as text. Throws a 408, 413 or 503 `ApiError`, an error that `look` throws, or a 500 when the client leaves before
   * the end of the body. Pieces that arrive after a refusal are dropped.
   */
  read(onBody: OnBody, look: Look | undefined, signal: AbortSignal): Promise<string>;
  /** Reads the body as bytes. Throws as `read` does. */
  readBytes(onBody: OnBody, signal: AbortSignal): Promise<Uint8Array>;
  /** Counts the bytes of a large reply with those of the body, until `close`. Nothing is refused for it: the memory is in use already. */
  holdReply(bytes: number): void;
  /** Frees the bytes of the body and the reply once the request is answered. May be called twice. */
  close(): void;
}

/** Makes the bodies of a server's requests, which share the limit `inFlightBytes`. */
export interface Bodies {
  /** Returns a body that has not arrived yet. `declared` is its Content-Length, if it has one. */
  open(declared: string | undefined): Body;
}

/**
 * The longest wait for the next piece of a body without a declared length, in ms. uWebSockets.js mistakes the extension
 * of a chunk for a part of its length. It then waits for more bytes than come, and closes the connection without a
 * reply after 10 s.
 */
const NEXT_PIECE_MS = 4000;
const RETRY_AFTER_SECONDS = 1;
/** A body may arrive in this many pieces of any size. More small pieces would cost as much time as a huge body. */
const MOST_SMALL_PIECES = 10_000;
const SMALL_PIECE_BYTES = 16;

/** Makes the bodies of one server. */
export function createBodies({ bytes: limit, inFlightBytes, timeMs }: BodyLimits): Bodies {
  let inFlight = 0;

  const checkRoom = (more: number) => {
    if (inFlight + more <= inFlightBytes) return;
    const message = `The bodies of the requests under way take as much memory as they may, ${inFlightBytes} bytes.`;
    throw overloaded(message, RETRY_AFTER_SECONDS);
  };

  return {
    open(declared) {
      let size = 0;
      let pieces = 0;
      const count = (bytes: number) => {
        pieces += 1;
        if (pieces > MOST_SMALL_PIECES && size < pieces * SMALL_PIECE_BYTES) throw bodyInSmallPieces();
        if (size + bytes > limit) throw bodyTooLarge(limit);
        checkRoom(bytes);
        inFlight += bytes;
        size += bytes;
      };
      const receive = async <T>(body: ArrivingBody<T>, onBody: OnBody, signal: AbortSignal): Promise<T> => {
        const length = Number(declared ?? 0);
        if (length > limit) throw bodyTooLarge(limit);
        checkRoom(length);
        const late = (ms: number) => setTimeout(() => body.fail(bodyTooSlow(ms)), ms);
        const timer = late(timeMs);
        const nextPiece = declared === undefined ? late(Math.min(NEXT_PIECE_MS, timeMs)) : undefined;
        signal.addEventListener('abort', () => body.fail(serverError('The client went away.')), { once: true });
        onBody((piece, isLast) => {
          nextPiece?.refresh();
          if (body.settled()) return;
          try {
            count(piece.length);
            body.add(piece);
            if (isLast) body.end();
          } catch (error) {
            body.fail(error);
          }
        });
        return body.whole.finally(() => {
          clearTimeout(timer);
          clearTimeout(nextPiece);
        });
      };
      return {
        read: (onBody, look, signal) => receive(createBodyText(look), onBody, signal),
        readBytes: (onBody, signal) => receive(createBodyBytes(), onBody, signal),
        holdReply(bytes) {
          inFlight += bytes;
          size += bytes;
        },
        close() {
          inFlight -= size;
          size = 0;
        },
      };
    },
  };
}
