/** The request line and the headers of a request. */
export interface RequestHead {
  method: string;
  /** Not decoded, without the query. */
  path: string;
  /** Without the question mark; '' if there is none. */
  query: string;
  /** By lower-case names. If a header is there twice, the last one counts. */
  headers: Record<string, string>;
  /** The bytes of the path, the query and the headers. */
  bytes: number;
}

/** The status and the headers of a reply. */
export interface ReplyHead {
  status: number;
  headers: Record<string, string>;
}

/** One request, and the ways to answer it. These do nothing once the client has left or the reply has ended. */
export interface Exchange {
  head: RequestHead;
  /** True if the client left before the reply had ended. */
  isGone(): boolean;
  /** Calls `listener` when the client leaves before the reply has ended. There is one listener. */
  onGone(listener: () => void): void;
  /**
   * Calls `take` with the pieces of the body, whose memory is reused after each call. Must be called once, and before the first await:
   * otherwise the body is dropped.
   */
  onBody(take: (piece: Uint8Array, isLast: boolean) => void): void;
  /** Sends a whole reply. `body` is null if it has none. The reply to HEAD has the length of the body, but not the body. */
  reply(head: ReplyHead, body: string | Uint8Array | null): void;
  /** Begins a reply whose body is written in pieces. Its head is sent with the first piece. */
  begin(head: ReplyHead): void;
  /** Sends a piece. Returns false when the client reads too slowly: the next piece has to wait for `drained`. */
  write(piece: string): boolean;
  /** Resolves when the client has read the pieces that were sent, or has left. */
  drained(): Promise<void>;
  end(): void;
}

/** Answers a request. It must read the body or begin to read it before its first await. */
export type ExchangeHandler = (exchange: Exchange) => Promise<void>;

/** Files in PEM. The key has no passphrase. */
export interface TlsFiles {
  /** The certificate, and after it the intermediate certificates up to its root. */
  cert: string;
  key: string;
}

/** Where an HTTP server listens. */
export interface ListenAddress {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** The path of a Unix socket to listen on instead of host and port. */
  socket?: string | undefined;
  /** By default the server speaks plain HTTP. */
  tls?: TlsFiles | undefined;
}

/** An HTTP server that listens. */
export interface Listener {
  /** 0 or below for a Unix socket. */
  port: number;
  /** Accepts no more connections. The open connections go on. */
  stopAccepting(): void;
  /** Sends the replies that were written before, then ends all connections. */
  close(): Promise<void>;
}

/** Starts an HTTP server. Throws if it can't listen there, for example because a file lies at the path of the Unix socket. */
export type Listen = (place: ListenAddress, serve: ExchangeHandler) => Promise<Listener>;

/** The largest address and headers of a request, in bytes: room for long keys, and for the cookies of everything on localhost. */
export const HEAD_LIMIT_BYTES = 32 * 1024;

/**
 * The longest head that the HTTP servers read, in bytes. They refuse a longer one before we see the request. The value is larger than
 * `HEAD_LIMIT_BYTES`, so that most requests whose head is too long get the JSON error of the API.
 */
export const READABLE_HEAD_BYTES = 64 * 1024;
