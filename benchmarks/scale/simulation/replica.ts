import type { ReplicaFigures } from '../replica.ts';
import { interpolateSteps, paceOf } from './pace.ts';
import type { SimulatedRequest } from './request.ts';
import { type CachedSlot, chooseFreeSlot } from './slots.ts';

/** A request whose reply is complete. */
export interface Served {
  request: SimulatedRequest;
  cachedTokens: number;
  /** The time from the request's arrival to its first token, in ms. */
  ttftMs: number;
}

/** One replica, which computes at the pace of the measured one. Times are in ms and only grow. */
export interface Replica {
  /** Requests that wait or run. */
  load(): number;
  /** Adds a request to the queue, and starts it if a slot is free. */
  take(request: SimulatedRequest, nowMs: number): void;
  /** Computes until `nowMs`. Returns the requests that have ended. */
  advance(nowMs: number): Served[];
  /** Returns the time at which the next prompt is read or the next reply ends; infinity if nothing runs. */
  nextMs(): number;
  /**
   * Ends all requests and empties the caches. Returns the requests without a first token, and the streams that were cut
   * off.
   */
  die(): { unanswered: SimulatedRequest[]; cut: SimulatedRequest[] };
}

interface Slot extends CachedSlot {
  running: Running | null;
}

interface Running {
  request: SimulatedRequest;
  cachedTokens: number;
  /** Tokens of the prompt that are still to compute. */
  prefill: number;
  /** Tokens of the reply that are still to compute. */
  decode: number;
  ttftMs: number;
}

/** Fewer tokens than this are left of a prompt or a reply only by rounding errors. */
const DONE = 1e-6;

const isRead = ({ prefill }: Running) => prefill <= DONE;

/**
 * Makes a replica. In each step every stream that writes gets a token, and the first prompt in the queue a chunk; both
 * make the step longer by the measured time. A slot keeps the cache of its last conversation.
 */
export function createReplica(figures: Pick<ReplicaFigures, 'slots' | 'prefillTokensPerSecond' | 'stepMs'>): Replica {
  const slots: Slot[] = Array.from({ length: figures.slots }, () => ({
    conversation: null,
    app: null,
    tokens: 0,
    usedAtMs: 0,
    running: null,
  }));
  const times = { stepMs: interpolateSteps(figures.stepMs), msPerPromptToken: 1000 / figures.prefillTokensPerSecond };
  const waiting: SimulatedRequest[] = [];
  let running: { slot: Slot; run: Running }[] = [];
  let clockMs = 0;

  const pace = () => {
    let writers = 0;
    for (const { run } of running) if (isRead(run)) writers += 1;
    return paceOf(writers, running.length - writers, times);
  };
  const reader = () => running.find(({ run }) => !isRead(run))?.run;

  const startWaiting = () => {
    while (waiting.length > 0 && running.length < slots.length) {
      const request = waiting.shift() as SimulatedRequest;
      const free = slots.filter((slot) => slot.running === null);
      const { slot, cachedTokens } = chooseFreeSlot(free, request);
      const { conversation, app, promptTokens, replyTokens } = request;
      const run = { request, cachedTokens, prefill: promptTokens - cachedTokens, decode: replyTokens, ttftMs: 0 };
      Object.assign(slot, { conversation, app, tokens: promptTokens, running: run });
      running.push({ slot, run });
    }
  };
  const msUntilNext = () => {
    if (running.length === 0) return Number.POSITIVE_INFINITY;
    const { read, write } = pace();
    const first = reader();
    let least = first ? first.prefill / read : Number.POSITIVE_INFINITY;
    for (const { run } of running) if (isRead(run) && write > 0) least = Math.min(least, run.decode / write);
    return least;
  };
  /** Computes for a time in which no request ends and no prompt becomes read. */
  const work = (ms: number) => {
    const { read, write } = pace();
    const first = reader();
    for (const { run } of running) if (isRead(run)) run.decode -= ms * write;
    if (first) first.prefill -= ms * read;
    clockMs += ms;
    // The first token is drawn from the step that reads the last of the prompt.
    if (first && isRead(first)) first.ttftMs = clockMs - first.request.arrivedAtMs;
  };
  const collect = (): Served[] => {
    const ended = running.filter(({ run }) => isRead(run) && run.decode <= DONE);
    running = running.filter((one) => !ended.includes(one));
    for (const { slot, run } of ended) {
      const { promptTokens, replyTokens } = run.request;
      Object.assign(slot, { tokens: promptTokens + replyTokens, usedAtMs: clockMs, running: null });
    }
    startWaiting();
    return ended.map(({ run: { request, cachedTokens, ttftMs } }) => ({ request, cachedTokens, ttftMs }));
  };

  return {
    load: () => running.length + waiting.length,
    take(request, nowMs) {
      clockMs = Math.max(clockMs, nowMs);
      waiting.push(request);
      startWaiting();
    },
    advance(nowMs) {
      const served: Served[] = [];
      while (clockMs + msUntilNext() <= nowMs) {
        work(msUntilNext());
        served.push(...collect());
      }
      if (running.length > 0) work(nowMs - clockMs);
      clockMs = Math.max(clockMs, nowMs);
      return served;
    },
    nextMs: () => clockMs + msUntilNext(),
    die() {
      const unread = running.filter(({ run }) => !isRead(run)).map(({ run }) => run.request);
      const cut = running.filter(({ run }) => isRead(run)).map(({ run }) => run.request);
      const unanswered = [...waiting.splice(0), ...unread];
      running = [];
      for (const slot of slots) Object.assign(slot, { conversation: null, app: null, tokens: 0, running: null });
      return { unanswered, cut };
    },
  };
}
