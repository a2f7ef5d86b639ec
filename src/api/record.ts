import type { Party } from '../contract/call-context.ts';
import type { FinishReason, GenerationEvent } from '../contract/events.ts';
import type { Runner } from '../contract/runner.ts';
import type { ApiKey } from './keys/key.ts';
import type { Pass } from './keys/limiter.ts';

/** The fields that identify a request in its log lines: its id, and the model once it is known. */
export interface Trace {
  requestId: string;
  model?: string;
}

/**
 * The record of one request. It is filled while the request is answered. Times are in ms on the clock of
 * `performance.now`.
 */
export interface RequestRecord {
  trace: Trace;
  method: string;
  /** The path of the route, with its parameter in braces; `other` where there is no route. */
  route: string;
  /** The `traceparent` header: the client's span, in the form of W3C's Trace Context. */
  traceparent: string | undefined;
  /** Null if the request has no valid key. */
  key: ApiKey | null;
  /** The party whose share of the slots the request uses; null before it is known, and for requests without a key. */
  party: Party | null;
  /** The pass of the limiter; null if the key's limits do not count this request. */
  pass: Pass | null;
  /** 0 until the reply has begun. */
  status: number;
  /**
   * The code of the error in the reply or in the stream; `client_left` if the client had disconnected; null without an
   * error.
   */
  error: string | null;
  began: number;
  /** 0 until the reply is complete. */
  ended: number;
  /** How long the request waited for slots, in ms. */
  queuedMs: number;
  /** The time of the first piece of the reply; 0 before it. */
  firstPiece: number;
  /** Tokens of the prompts. `cachedTokens` counts the tokens among them that were in the KV cache. */
  promptTokens: number;
  cachedTokens: number;
  /** Tokens of all choices. */
  completionTokens: number;
  /**
   * The time for which the model stays in memory after this request, in ms; null means for ever. Absent if the request
   * sets none.
   */
  keepMs?: number | null;
  /** The finish reason of the latest choice. */
  finish: FinishReason | null;
}

/**
 * The status and code, in log and metrics, of a request whose client disconnected. The status, which is nginx's, is for
 * one without a reply.
 */
export const CLIENT_LEFT = { status: 499, code: 'client_left' };

/** Observes requests. Its functions run while requests wait, so they must be quick and must not throw. */
export interface Observer {
  /** A piece of a reply came `ms` after the one before. */
  piece(model: string, ms: number): void;
  /** A request has its whole reply, or its client has left. */
  ended(record: RequestRecord): void;
}

/** Begins the record of a request that has just arrived: its time runs from now on. `endRecord` closes it. */
export function beginRecord(trace: Trace, method: string, traceparent?: string): RequestRecord {
  return {
    trace,
    method,
    route: 'other',
    traceparent,
    key: null,
    party: null,
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
 * Closes a record, once. Counts the request's tokens against the key's limits, and keeps the model in memory for the
 * time that the request asked for, unless the request was refused.
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

/** True if a request was refused, so that it had no effect. */
function isRefused({ status }: RequestRecord): boolean {
  return status >= 400 && status < 500 && status !== CLIENT_LEFT.status;
}

/**
 * Records the events of one generation. The counts are right at any time, except for tokens that a parser holds back,
 * so that the tokens of a client that disconnects are counted too. The last event makes them exact.
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
