/** What stands before the body of a request. */
export interface RequestHead {
  method: string;
  /** Not decoded, without the query. */
  path: string;
  /** Without the question mark; '' if there is none. */
  query: string;
  /** By lower-case names. Of a header that is there twice, the last one. */
  headers: Record<string, string>;
  /** Of the address and the headers. */
  bytes: number;
}

/** What stands before the body of a reply. */
export interface ReplyHead {
  status: number;
  headers: Record<string, string>;
}

/** One request, and the ways to answer it. Once the client has left or the reply has ended, to answer does nothing. */
export interface Exchange {
  head: RequestHead;
  /** Says whether the client has left before the reply had ended. */
  isGone(): boolean;
  /** Calls `listener` when the client leaves before the reply has ended. There is one listener. */
  onGone(listener: () => void): void;
  /**
   * Takes the pieces of the body, whose memory is used again after each call. To be called once, and before the first await: a
   * body that nobody takes is dropped.
   */
  onBody(take: (piece: Uint8Array, isLast: boolean) => void): void;
  /** Sends a whole reply; null if it has no body. A reply to HEAD only tells the length of its body. */
  reply(head: ReplyHead, body: string | Uint8Array | null): void;
  /** Begins a reply whose body comes in pieces. The head goes out with the first one. */
  begin(head: ReplyHead): void;
  /** Sends a piece. Returns false when the client reads too slowly: the next piece has to wait for `drained`. */
  write(piece: string): boolean;
  /** Resolves when the client has read what was sent, or has left. */
  drained(): Promise<void>;
  end(): void;
}

/** Answers a request. It reads what it needs of the request before it awaits anything. */
export type Serve = (exchange: Exchange) => Promise<void>;

/** Files in PEM. The key has no passphrase. */
export interface TlsFiles {
  /** The certificate, and then those that lead from it to its root. */
  cert: string;
  key: string;
}

/** Where an HTTP server listens. */
export interface Place {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** The path of a Unix socket, to listen on in place of host and port. */
  socket?: string | undefined;
  /** By default the server speaks plain HTTP. */
  tls?: TlsFiles | undefined;
}

/** An HTTP server that listens. */
export interface Listener {
  /** 0 or below for a Unix socket. */
  port: number;
  /** Accepts no more connections. Those that are there go on. */
  stopAccepting(): void;
  /** Sends what was written before, then ends all connections. */
  close(): Promise<void>;
}

/** Starts an HTTP server. Throws if it can't listen there. A file at the path of a Unix socket must be away by then. */
export type Listen = (place: Place, serve: Serve) => Promise<Listener>;

/** The largest address and headers of a request, in bytes: room for long keys, and for the cookies of everything on localhost. */
export const HEAD_LIMIT_BYTES = 32 * 1024;

/**
 * How long the head of a request may be for an HTTP server, in bytes. It refuses a longer one before we see it. So this is more than
 * we take: up to here, we say in our own words that the head is too long.
 */
export const READABLE_HEAD_BYTES = 64 * 1024;
