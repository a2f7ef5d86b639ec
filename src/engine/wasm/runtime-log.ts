import type { WllamaLogger } from '@wllama/wllama/esm/index.js';
import type { Log } from '../../core/log.ts';

/** An error as llama-server words it; the counts come with `exceed_context_size_error`. */
export interface ServerError {
  type: string;
  message: string;
  n_prompt_tokens?: number;
  n_ctx?: number;
}

/**
 * wllama's logger. wllama throws errors without their data and tells all it knows of them here first, so this keeps
 * the last operation's.
 */
export class RuntimeLog implements WllamaLogger {
  /** llama-server's answer, if it was an error. */
  serverError: ServerError | null = null;
  /** What JavaScript threw around the WebAssembly call. */
  exception: Error | null = null;
  readonly #log: Log;
  readonly #onWorkerError: (message: string) => void;
  /** llama.cpp's errors before `exception`; of one that has several lines, the last says what happened. */
  #errors: string[][] = [];

  /** `onWorkerError` is called when the worker dies, which wllama only logs. */
  constructor(log: Log, onWorkerError: (message: string) => void) {
    this.#log = log;
    this.#onWorkerError = onWorkerError;
  }

  /** Why the operation failed in llama.cpp's words, if it said so. */
  get reason(): string | null {
    return this.#errors[0]?.findLast((line) => line.trim() !== '') ?? null;
  }

  /** Forgets the operation before. */
  reset(): void {
    this.serverError = null;
    this.exception = null;
    this.#errors = [];
  }

  // wllama detaches these methods.
  debug = (...args: unknown[]): void => this.#note(args);
  warn = (...args: unknown[]): void => this.#note(args);

  /** Gets what C++ prints without a level: failed assertions, and all but the first line of anything longer. */
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

  // Only the first argument: wllama puts a reply that it can't read into the second.
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
