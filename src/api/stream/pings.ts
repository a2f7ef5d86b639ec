/** Shows the client that the request is still running, after a time without events. */
export interface Ping {
  kind: 'ping';
}

/**
 * Yields the same events, and a ping after every `intervalMs` without one, until the first text. Otherwise a client
 * could take the silence for a lost connection: while the request waits in the queue, while a model loads, during a long
 * prefill, and while a tool of an MCP server runs.
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
      if ('kind' in value && (value.kind === 'pause' || value.kind === 'mcpCalling')) waiting = true;
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
