/** Called with the bytes of a body as they arrive. It may throw to refuse the body. */
export type Look = (bytes: Uint8Array) => void;

/** Makes one value of the pieces of a body. */
interface Whole<T> {
  add(piece: Uint8Array): void;
  /** Returns the value. Called once, after the last piece. */
  end(): T;
}

/** A body that arrives in pieces. */
export interface ArrivingBody<T> {
  /** Resolves to the whole body after `end`. Rejects with an error that `look` throws. */
  whole: Promise<T>;
  /** Adds a piece. The caller may reuse its memory. */
  add(piece: Uint8Array): void;
  /** Ends the body: the last piece was added. */
  end(): void;
  /** Rejects `whole` with this error. */
  fail(error: unknown): void;
  /** True once `whole` is resolved or rejected. Further pieces have no effect. */
  settled(): boolean;
}

/** Small pieces are gathered first: a body in millions of pieces must not become as many strings. */
const GATHERED_BYTES = 64 * 1024;

/** Decodes a body as it arrives. Bytes that are not UTF-8 become U+FFFD. `look` is called with each piece. */
export function createBodyText(look: Look = () => {}): ArrivingBody<string> {
  const decoder = new TextDecoder();
  let text = '';
  return createArrivingBody({
    add(piece) {
      look(piece);
      text += decoder.decode(piece, { stream: true });
    },
    end: () => text + decoder.decode(),
  });
}

/** Joins the bytes of a body as it arrives. */
export function createBodyBytes(): ArrivingBody<Uint8Array> {
  const pieces: Uint8Array[] = [];
  return createArrivingBody<Uint8Array>({ add: (piece) => pieces.push(piece), end: () => Buffer.concat(pieces) });
}

/**
 * Handles a body as it arrives. An HTTP server may deliver tens of megabytes within one turn of the event loop, so one piece is handled
 * per turn. Other requests are answered in between.
 */
function createArrivingBody<T>(result: Whole<T>): ArrivingBody<T> {
  const pieces: Uint8Array[] = [];
  let gathered = Buffer.alloc(0);
  let count = 0;
  let ended = false;
  let settled = false;
  let working = false;
  let resolve: (whole: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const whole = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });

  const fail = (error: unknown) => {
    settled = true;
    pieces.length = 0;
    reject(error);
  };
  const work = () => {
    working = false;
    const piece = pieces.shift();
    try {
      if (piece) result.add(piece);
    } catch (error) {
      return fail(error);
    }
    if (pieces.length > 0) return workNextTurn();
    if (!ended || settled) return;
    settled = true;
    resolve(result.end());
  };
  const workNextTurn = () => {
    if (working) return;
    working = true;
    setImmediate(work);
  };
  const pushGathered = () => {
    if (count > 0) pieces.push(gathered.subarray(0, count));
    gathered = Buffer.alloc(0);
    count = 0;
  };

  return {
    whole,
    fail,
    settled: () => settled,
    add(piece) {
      if (count + piece.length > GATHERED_BYTES) pushGathered();
      if (piece.length > GATHERED_BYTES) pieces.push(piece.slice());
      else {
        if (gathered.length === 0) gathered = Buffer.allocUnsafe(GATHERED_BYTES);
        gathered.set(piece, count);
        count += piece.length;
      }
      if (pieces.length > 0) workNextTurn();
    },
    end() {
      ended = true;
      pushGathered();
      // Most bodies are a single small piece, which is decoded without waiting for another turn.
      if (!working && pieces.length <= 1) work();
      else workNextTurn();
    },
  };
}
