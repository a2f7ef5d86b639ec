import type { WllamaLogger } from '@wllama/wllama/esm/index.js';
import type { Log } from '../../contract/log.ts';

/** An error of llama-server. The counts, in tokens, come with `exceed_context_size_error`. */
export interface ServerError {
  type: string;
  message: string;
  n_prompt_tokens?: number;
  n_ctx?: number;
}

/**
 * wllama's logger. wllama throws errors without their details, but logs the details first. So this keeps the details of
 * the latest operation.
 */
export class RuntimeLog implements WllamaLogger {
  /** llama-server's answer, if it was an error. */
  serverError: ServerError | null = null;
  /** The error that JavaScript threw around the WebAssembly call. */
  exception: Error | null = null;
  readonly #log: Log;
  readonly #onWorkerError: (message: string) => void;
  /** llama.cpp's errors before `exception`. If an error has several lines, the last one tells what happened. */
  #errors: string[][] = [];

  /** `onWorkerError` is called when the worker dies. wllama only logs that. */
  constructor(log: Log, onWorkerError: (message: string) => void) {
    this.#log = log;
    this.#onWorkerError = onWorkerError;
  }

  /** The reason why the operation failed, in llama.cpp's words, if it gave one. */
  get reason(): string | null {
    return this.#errors[0]?.findLast((line) => line.trim() !== '') ?? null;
  }

  /** Forgets the previous operation. */
  reset(): void {
    this.serverError = null;
    this.exception = null;
    this.#errors = [];
  }

  // These are arrow functions, because wllama detaches the methods.
  debug = (...args: unknown[]): void => this.#note(args);
  warn = (...args: unknown[]): void => this.#note(args);

  /** Gets what C++ prints without a level: failed assertions, and all lines but the first of longer messages. */
  log = (...args: unknown[]): void => {
    this.#note(args);
    const [line] = args;
    if (typeof line !== 'string' || line.startsWith('Aborted(') || this.exception !== null) return;
    if (line.includes('GGML_ASSERT')) this.#errors.push([line]);
    else this.#errors.at(-1)?.push(line);
  };

  error = (...args: unknown[]): void => {
    this.#note(args);
    const subject = args.at(-1);
    if (typeof subject === 'string') {
      if (this.exception === null && args.length === 1) this.#errors.push([subject]);
    } else if (subject instanceof Error) {
      this.exception = subject;
    } else if (isServerError(subject)) {
      this.serverError = subject;
    } else if (isErrorEvent(subject)) {
      this.#onWorkerError(subject.message ?? 'unknown error');
    }
  };

  // Logs only the first argument. The second may have a reply that wllama can't read, and replies must not be logged.
  #note([line]: unknown[]): void {
    if (typeof line === 'string') this.#log.debug('wllama', { line });
  }
}

function isServerError(value: unknown): value is ServerError {
  return isRecord(value) && typeof value.type === 'string' && typeof value.message === 'string' && 'code' in value;
}

function isErrorEvent(value: unknown): value is { message?: string } {
  return isRecord(value) && value.type === 'error';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
