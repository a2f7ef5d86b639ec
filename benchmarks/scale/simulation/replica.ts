import type { ReplicaFigures } from '../replica.ts';

/** A turn that a replica has to answer. */
export interface Request {
  conversation: number;
  app: number;
  systemTokens: number;
  promptTokens: number;
  replyTokens: number;
  arrivedAtMs: number;
}

/** What became of a request. */
export interface Served {
  request: Request;
  cachedTokens: number;
  ttftMs: number;
}

/** One replica, which computes as the measured one does. Times are in ms and only grow. */
export interface Replica {
  /** Requests that wait or run. */
  load(): number;
  /** Takes a request, now. */
  take(request: Request, nowMs: number): void;
  /** Works until `nowMs`. Returns what has ended. */
  advance(nowMs: number): Served[];
  /** The time at which something ends next, or changes its pace; infinity if nothing runs. */
  nextMs(): number;
  /** Ends everything. Returns the requests whose first token was not there yet, and those that were cut off after it. */
  die(): { unanswered: Request[]; cut: Request[] };
}

interface Slot {
  /** The conversation whose tokens the KV cache holds; null if it is empty. */
  conversation: number | null;
  app: number | null;
  tokens: number;
  usedAtMs: number;
  running: Running | null;
}

interface Running {
  request: Request;
  cachedTokens: number;
  /** Tokens of the prompt, and then of the reply, that are still to compute. */
  prefill: number;
  decode: number;
  ttftMs: number;
}

/** How many tokens of a prompt a step takes while others write, as in src/engine/native/step/step-plan.ts. */
const CHUNK = 128;
/** Less than a token is no token. */
const DONE = 1e-6;

/**
 * Makes a replica. In each step every stream that writes gets a token, and the first prompt in the queue a chunk; both make the step
 * longer by what was measured. Slots keep the last conversation that they had, and a slot is chosen as in src/engine/native/prefix/slot.ts:
 * the one with the conversation, else the one unused for longest.
 */
export function createReplica(figures: Pick<ReplicaFigures, 'slots' | 'prefillTokensPerSecond' | 'stepMs'>): Replica {
  const slots: Slot[] = Array.from({ length: figures.slots }, () => ({
    conversation: null,
    app: null,
    tokens: 0,
    usedAtMs: 0,
    running: null,
  }));
  const stepMs = interpolate(figures.stepMs);
  const msPerPromptToken = 1000 / figures.prefillTokensPerSecond;
  const waiting: Request[] = [];
  let running: { slot: Slot; run: Running }[] = [];
  let clockMs = 0;

  /** Tokens in a ms, of the prompt that is read and of each stream that writes. */
  const pace = () => {
    let writers = 0;
    for (const { run } of running) if (run.prefill <= DONE) writers += 1;
    if (writers === running.length) return { read: 0, write: 1 / stepMs(writers) };
    if (writers === 0) return { read: 1 / msPerPromptToken, write: 0 };
    const step = stepMs(writers) + CHUNK * msPerPromptToken;
    return { read: CHUNK / step, write: 1 / step };
  };
  const reader = () => running.find(({ run }) => run.prefill > DONE)?.run;

  const start = (request: Request) => {
    const free = slots.filter((slot) => slot.running === null);
    const own = free.find(({ conversation }) => conversation === request.conversation);
    const slot = own ?? free.reduce((oldest, other) => (other.usedAtMs < oldest.usedAtMs ? other : oldest));
    const kept = own ? slot.tokens : slot.app === request.app ? Math.min(request.systemTokens, slot.tokens) : 0;
    // The last token of a prompt is always computed.
    const cachedTokens = Math.min(kept, request.promptTokens - 1);
    const run = {
      request,
      cachedTokens,
      prefill: request.promptTokens - cachedTokens,
      decode: request.replyTokens,
      ttftMs: 0,
    };
    Object.assign(slot, {
      conversation: request.conversation,
      app: request.app,
      tokens: request.promptTokens,
      running: run,
    });
    running.push({ slot, run });
  };
  const startWaiting = () => {
    while (waiting.length > 0 && running.length < slots.length) start(waiting.shift() as Request);
  };
  const untilNext = () => {
    if (running.length === 0) return Number.POSITIVE_INFINITY;
    const { read, write } = pace();
    const first = reader();
    let least = first ? first.prefill / read : Number.POSITIVE_INFINITY;
    for (const { run } of running) if (run.prefill <= DONE && write > 0) least = Math.min(least, run.decode / write);
    return least;
  };
  /** Moves all by a time in which nothing ends. */
  const work = (ms: number) => {
    const { read, write } = pace();
    const first = reader();
    for (const { run } of running) if (run.prefill <= DONE) run.decode -= ms * write;
    if (first) first.prefill -= ms * read;
    clockMs += ms;
    // The first token is drawn from the step that reads the last of the prompt.
    if (first && first.prefill <= DONE) first.ttftMs = clockMs - first.request.arrivedAtMs;
  };
  const collect = (): Served[] => {
    const ended = running.filter(({ run }) => run.prefill <= DONE && run.decode <= DONE);
    running = running.filter((one) => !ended.includes(one));
    for (const { slot, run } of ended) {
      Object.assign(slot, {
        tokens: run.request.promptTokens + run.request.replyTokens,
        usedAtMs: clockMs,
        running: null,
      });
    }
    startWaiting();
    return ended.map(({ run }) => ({ request: run.request, cachedTokens: run.cachedTokens, ttftMs: run.ttftMs }));
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
      while (clockMs + untilNext() <= nowMs) {
        work(untilNext());
        served.push(...collect());
      }
      if (running.length > 0) work(nowMs - clockMs);
      clockMs = Math.max(clockMs, nowMs);
      return served;
    },
    nextMs: () => clockMs + untilNext(),
    die() {
      const unread = running.filter(({ run }) => run.prefill > DONE).map(({ run }) => run.request);
      const cut = running.filter(({ run }) => run.prefill <= DONE).map(({ run }) => run.request);
      const unanswered = [...waiting.splice(0), ...unread];
      running = [];
      for (const slot of slots) Object.assign(slot, { conversation: null, app: null, tokens: 0, running: null });
      return { unanswered, cut };
    },
  };
}

/** The time of a step with so many streams, between the measured numbers on a straight line. */
function interpolate(stepMs: Record<string, number>): (streams: number) => number {
  const points = Object.entries(stepMs)
    .map(([streams, ms]): [number, number] => [Number(streams), ms])
    .sort(([a], [b]) => a - b);
  const most = points.at(-1)?.[0] ?? 0;
  const table = Array.from({ length: most + 1 }, (_, streams) => {
    const after = Math.max(
      1,
      points.findIndex(([at]) => at >= streams),
    );
    const [x0, y0] = points[after - 1] ?? [1, 0];
    const [x1, y1] = points[after] ?? [x0 + 1, y0];
    return streams <= x0 ? y0 : y0 + ((y1 - y0) * (streams - x0)) / (x1 - x0);
  });
  return (streams) => table[Math.min(streams, most)] ?? 0;
}
