/** A thread that does one task at a time. */
export interface Thread {
  /** Resolves when the thread has started. Rejects if it ends before that. */
  started: Promise<unknown>;
  /** False if the thread can take no further task. */
  isUsable(): boolean;
  end(): Promise<void>;
}

/** Threads that are kept for further tasks. */
export interface Threads<T extends Thread> {
  /** Starts a thread for later, unless one is idle or `most` are there. */
  startSpare(): void;
  /**
   * Resolves to the thread that is free first: an idle one, one that is given back, or a new one. Rejects if the signal
   * aborts before, or if a new thread does not start.
   */
  take(signal: AbortSignal): Promise<T>;
  /** Gives a thread back after its task. */
  giveBack(thread: T): void;
  /** Ends all threads. */
  end(): Promise<void>;
}

/** How threads are kept. */
export interface ThreadOptions<T> {
  start: () => T;
  /** The most threads. No more than these are taken at once. */
  most: number;
  /** An idle thread ends after this time, in ms. */
  idleMs: number;
}

/** A caller of `take`. */
interface Waiting<T> {
  resolve(thread: T): void;
  reject(error: unknown): void;
}

/**
 * Keeps threads, and starts further ones while callers wait. A start takes far longer than most tasks, so no caller waits
 * for a certain thread, and threads start one after the other.
 */
export function createThreads<T extends Thread>({ start, most, idleMs }: ThreadOptions<T>): Threads<T> {
  const all = new Set<T>();
  /** The idle threads with the timers that end them. The thread that was used last is the first to be used again. */
  const idle: { thread: T; timer: NodeJS.Timeout }[] = [];
  const waiting: Waiting<T>[] = [];
  let isStarting = false;

  const end = async (thread: T) => {
    all.delete(thread);
    await thread.end();
  };
  const keep = (thread: T) => {
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((each) => each.thread === thread),
        1,
      );
      void end(thread);
    }, idleMs).unref();
    idle.push({ thread, timer });
  };
  const startOne = () => {
    if (isStarting || all.size >= most) return;
    isStarting = true;
    const thread = start();
    all.add(thread);
    const done = () => {
      isStarting = false;
    };
    thread.started.then(
      () => {
        done();
        offer(thread);
      },
      (error: unknown) => {
        done();
        void end(thread);
        waiting.shift()?.reject(error);
        if (waiting.length > 0) startOne();
      },
    );
  };
  const offer = (thread: T) => {
    if (thread.isUsable()) {
      const next = waiting.shift();
      if (next) next.resolve(thread);
      else keep(thread);
    } else void end(thread);
    if (waiting.length > 0) startOne();
  };
  const takeIdle = (): T | undefined => {
    for (let found = idle.pop(); found; found = idle.pop()) {
      clearTimeout(found.timer);
      if (found.thread.isUsable()) return found.thread;
      void end(found.thread);
    }
    return undefined;
  };

  return {
    startSpare() {
      if (idle.length === 0) startOne();
    },
    take(signal) {
      const found = takeIdle();
      if (found) return Promise.resolve(found);
      return new Promise<T>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const unlisten = () => signal.removeEventListener('abort', leave);
        const caller: Waiting<T> = {
          resolve: (thread) => {
            unlisten();
            resolve(thread);
          },
          reject: (error) => {
            unlisten();
            reject(error);
          },
        };
        const leave = () => {
          waiting.splice(waiting.indexOf(caller), 1);
          reject(signal.reason);
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.push(caller);
        startOne();
      });
    },
    giveBack: offer,
    async end() {
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      await Promise.all([...all].map(end));
    },
  };
}
