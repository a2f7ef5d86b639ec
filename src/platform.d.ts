/**
 * The globals of Node, browsers and workers that the shared rooms use: gguf, media, engine and catalogue, without their `node` folders.
 * These rooms are compiled without the types of Node and of the DOM (see tsconfig.shared.json), so a global that is declared neither
 * here nor in contract/platform.d.ts does not compile.
 */

interface AbortSignal {
  throwIfAborted(): void;
}

declare const AbortSignal: {
  any(signals: AbortSignal[]): AbortSignal;
  timeout(ms: number): AbortSignal;
};

interface SymbolConstructor {
  readonly asyncDispose: unique symbol;
}

interface AsyncDisposable {
  [Symbol.asyncDispose](): PromiseLike<void>;
}

/** Bytes that are read on demand: a file on disk, or a file that a page holds. */
interface Blob {
  /** In bytes. */
  readonly size: number;
  slice(start?: number, end?: number): Blob;
  arrayBuffer(): Promise<ArrayBuffer>;
}

declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  hash: string;
  readonly host: string;
  readonly hostname: string;
  readonly href: string;
  readonly origin: string;
  readonly password: string;
  pathname: string;
  readonly protocol: string;
  readonly search: string;
  readonly searchParams: { get(name: string): string | null };
  readonly username: string;
  toString(): string;
}

declare class Headers implements Iterable<[string, string]> {
  constructor(init?: Headers | Record<string, string>);
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  delete(name: string): void;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

interface RequestInit {
  method?: string;
  headers?: Headers | Record<string, string>;
  body?: string | null;
  redirect?: 'follow' | 'error' | 'manual';
  signal?: AbortSignal | null;
}

declare class Request {
  readonly url: string;
}

interface ReadableStream<T> extends AsyncIterable<T> {
  cancel(reason?: unknown): Promise<void>;
  getReader(): {
    read(): Promise<{ done: false; value: T } | { done: true; value: undefined }>;
    cancel(reason?: unknown): Promise<void>;
    releaseLock(): void;
  };
}

declare class Response {
  constructor(
    body?: string | ReadableStream<Uint8Array> | null,
    init?: { status?: number; headers?: Headers | Record<string, string> },
  );
  readonly status: number;
  readonly ok: boolean;
  readonly url: string;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
  json(): Promise<unknown>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

declare function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;

/** Decodes base64 to a string with one character for each byte. Throws if the text is not base64. */
declare function atob(base64: string): string;
