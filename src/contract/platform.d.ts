/**
 * The globals that the core uses. Node, browsers and workers all have them. The core is compiled without the types of
 * Node and of the DOM, so code that uses any other global does not compile.
 */

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: Uint8Array, options?: { stream?: boolean }): string;
}

declare class TextEncoder {
  encode(input: string): Uint8Array;
  encodeInto(input: string, into: Uint8Array): { read: number; written: number };
}

/** Base64 of a string in which each character is one byte. */
declare function btoa(bytes: string): string;

declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(handle: unknown): void;

declare const performance: { now(): number };
declare const crypto: {
  randomUUID(): string;
  getRandomValues<T extends Uint8Array | Uint32Array>(array: T): T;
  subtle: { digest(algorithm: 'SHA-256', data: Uint8Array): Promise<ArrayBuffer> };
};
