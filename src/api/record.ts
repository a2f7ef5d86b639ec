import type { FinishReason, GenerationEvent } from '../contract/events.ts';
import type { Runner } from '../contract/runner.ts';
import type { ApiKey } from './keys/key.ts';
import type { Pass } from './keys/limiter.ts';

/** What identifies a request in its log lines: its id, and the model once that is known. */
export interface Trace {
  requestId: string;
  model?: string;
}

/** What became of one request. It is filled while the request is answered; times are in ms on the clock of `performance.now`. */
export interface RequestRecord {
  trace: Trace;
  method: string;
  /** The path of the route, with its parameter in braces; `other` where there is no route. */
  route: string;
  /** The `traceparent` header: the client's span, in the form of W3C's Trace Context. */
  traceparent: string | undefined;
  /** Null where none is needed, and for strangers. */
  key: ApiKey | null;
  /** What the limits of the key gave; null if they do not count this request. */
  pass: Pass | null;
  /** 0 until the reply has begun. */
  status: number;
  /** The code of the error that the client was told, at the beginning or within the stream; `client_left` if it was gone by then. */
  error: string | null;
  began: number;
  /** 0 until the whole reply was made. */
  ended: number;
  /** How long the request waited for slots, in ms. */
  queuedMs: number;
  /** When the first piece of the reply came; 0 without one. */
  firstPiece: number;
  /** Tokens of the prompts, and those of them that were in the KV cache. */
  promptTokens: number;
  cachedTokens: number;
  /** Tokens of all choices. */
  completionTokens: number;
  /** How long the model is to stay in memory after this request, in ms; null means for ever. Absent if the request does not say. */
  keepMs?: number | null;
  /** Why the latest choice ended. */
  finish: FinishReason | null;
}

/** How log and metrics tell a request whose client left: the status, as nginx has it, is that of one without a reply by then. */
export const CLIENT_LEFT = { status: 499, code: 'client_left' };

/** Is told what requests do. All of it is called while requests wait, so it must be quick and must not throw. */
export interface Observer {
  /** A piece of a reply came `ms` after the one before. */
  piece(model: string, ms: number): void;
  /** A request has its whole reply, or its client has left. */
  ended(record: RequestRecord): void;
}

export function beginRecord(trace: Trace, method: string, traceparent?: string): RequestRecord {
  return {
    trace,
    method,
    route: 'other',
    traceparent,
    key: null,
    pass: null,
    status: 0,
    error: null,
    began: performance.now(),
    ended: 0,
    queuedMs: 0,
    firstPiece: 0,
    promptTokens: 0,
    cachedTokens: 0,
    completionTokens: 0,
    finish: null,
  };
}

/**
 * Closes a record, once. The key's limits get the tokens that the request took, and the model stays as long as it asked, unless the
 * request was refused.
 */
export function endRecord(record: RequestRecord, { observer, runner }: { observer?: Observer; runner: Runner }): void {
  if (record.ended > 0) return;
  record.ended = performance.now();
  record.pass?.leave(record.promptTokens + record.completionTokens);
  const { keepMs, trace } = record;
  if (keepMs !== undefined && trace.model !== undefined && !isRefused(record))
    runner.residency?.keep(trace.model, keepMs);
  observer?.ended(record);
}

/** Says whether a request asked for what it can not have. Then nothing of it is done. */
function isRefused({ status }: RequestRecord): boolean {
  return status >= 400 && status < 500 && status !== CLIENT_LEFT.status;
}

/**
 * Notes the events of one generation in the record of its request. The counts are right at any time but for tokens that a parser
 * holds back, so a client that leaves is still counted; the last event makes them exact.
 */
export function createEventNotes(record: RequestRecord, observer: Observer | undefined) {
  const lastPieces: number[] = [];
  const counted = { prompt: 0, cached: 0, completion: 0 };
  const count = (prompt: number, cached: number, completion: number) => {
    record.promptTokens += prompt - counted.prompt;
    record.cachedTokens += cached - counted.cached;
    record.completionTokens += completion - counted.completion;
    Object.assign(counted, { prompt, cached, completion });
  };
  const notePiece = (choice: number) => {
    const now = performance.now();
    const last = lastPieces[choice];
    lastPieces[choice] = now;
    if (record.firstPiece === 0) record.firstPiece = now;
    if (last !== undefined) observer?.piece(record.trace.model ?? '', now - last);
  };

  return (event: GenerationEvent): void => {
    switch (event.kind) {
      case 'text':
        record.completionTokens += event.tokens ?? 1;
        counted.completion += event.tokens ?? 1;
        notePiece(event.choice);
        return;
      case 'reasoning':
      case 'toolArguments':
        record.completionTokens += 1;
        counted.completion += 1;
        notePiece(event.choice);
        return;
      case 'progress':
        count(event.processed, event.cache, counted.completion);
        return;
      case 'finish':
        record.finish = event.reason;
        return;
      case 'done':
        count(event.promptTokens, event.cachedTokens, event.completionTokens);
    }
  };
}
