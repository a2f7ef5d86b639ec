/** Called with the bytes of a body as they arrive. It may throw to refuse the body. */
export type Look = (bytes: Uint8Array) => void;

/** The text of a body that arrives in pieces. */
export interface BodyText {
  /** Resolves to the whole text after `end`. Bytes that are not UTF-8 become U+FFFD. Rejects with an error that `look` throws. */
  whole: Promise<string>;
  /** Adds a piece. The caller may reuse its memory. */
  add(piece: Uint8Array): void;
  /** Ends the text: the last piece was added. */
  end(): void;
  /** Rejects `whole` with this error. */
  fail(error: unknown): void;
  /** True once `whole` is resolved or rejected. Further pieces have no effect. */
  settled(): boolean;
}

/** Small pieces are gathered first: a body in millions of pieces must not become as many strings. */
const GATHERED_BYTES = 64 * 1024;

/**
 * Decodes a body as it arrives. An HTTP server may deliver tens of megabytes within one turn of the event loop, so the text is decoded
 * one piece per turn. Other requests are answered in between.
 */
export function createBodyText(look: Look = () => {}): BodyText {
  const decoder = new TextDecoder();
  const pieces: Uint8Array[] = [];
  let gathered = Buffer.alloc(0);
  let count = 0;
  let ended = false;
  let settled = false;
  let working = false;
  let text = '';
  let resolve: (whole: string) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const whole = new Promise<string>((...settle) => {
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
      if (piece) {
        look(piece);
        text += decoder.decode(piece, { stream: true });
      }
    } catch (error) {
      return fail(error);
    }
    if (pieces.length > 0) return workNextTurn();
    if (!ended || settled) return;
    settled = true;
    resolve(text + decoder.decode());
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
