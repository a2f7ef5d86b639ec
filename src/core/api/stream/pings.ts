/** Nothing has happened for a while, but the work goes on. */
export interface Ping {
  kind: 'ping';
}

/**
 * The same events, with a ping for every `intervalMs` without one, until the first text: while a request waits in the
 * queue, for a model to load or through a long prefill, no client must take the silence for death.
 */
export async function* withPings<E extends object>(
  events: AsyncIterable<E>,
  intervalMs: number,
): AsyncGenerator<E | Ping> {
  const iterator = events[Symbol.asyncIterator]();
  let waiting = true;
  try {
    while (true) {
      const next = iterator.next();
      while (waiting && !(await settlesWithin(next, intervalMs))) yield { kind: 'ping' };
      const { value, done } = await next;
      if (done) return;
      if ('kind' in value && value.kind === 'text') waiting = false;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = () => true;
  try {
    return await Promise.race([promise.then(settled, settled), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
