/**
 * The globals that Node, browsers and workers all have and that the core uses.
 * The core is compiled without Node's and without the DOM's types, so anything that is not named here does not compile.
 */

interface AbortSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

declare class AbortController {
  readonly signal: AbortSignal;
  abort(): void;
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: Uint8Array, options?: { stream?: boolean }): string;
}

declare class TextEncoder {
  encode(input: string): Uint8Array;
}

/** Base64 of a string whose characters are bytes. */
declare function btoa(bytes: string): string;

declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(handle: unknown): void;

declare const performance: { now(): number };
declare const crypto: { randomUUID(): string; getRandomValues<T extends Uint8Array | Uint32Array>(array: T): T };
