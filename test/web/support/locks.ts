/** Web Locks of one origin, in memory: what Node 20 lacks. Several contexts share it; `dies` ends one as a closed tab does. */
export interface FakeLocks extends LockManager {
  /** Lets go of every lock of that name, as if its holder were gone. */
  die(name: string): void;
}

interface Request {
  name: string;
  mode: LockMode;
  grant: () => void;
}

interface Held extends Request {
  /** Ends the hold; a reason rejects the holder's request. */
  end: (reason?: Error) => void;
}

/** Gives locks in the order of the requests for each name, shared ones together, as the specification has it. */
export function fakeLocks(): FakeLocks {
  let held: Held[] = [];
  let queue: Request[] = [];

  const grantable = ({ name, mode }: Request, ahead: Request[]) => {
    const blocks = (other: Request) => other.name === name && !(mode === 'shared' && other.mode === 'shared');
    return !held.some(blocks) && !ahead.some((other) => other.name === name);
  };
  const settle = () => {
    const ahead: Request[] = [];
    for (const request of [...queue]) {
      if (grantable(request, ahead)) {
        queue = queue.filter((other) => other !== request);
        request.grant();
      } else ahead.push(request);
    }
  };
  const aborted = () => new DOMException('The request was aborted.', 'AbortError');

  const request = (name: string, optionsOr: LockOptions | LockGrantedCallback<unknown>, last?: unknown) => {
    const options = typeof optionsOr === 'function' ? {} : optionsOr;
    const callback = (typeof optionsOr === 'function' ? optionsOr : last) as LockGrantedCallback<unknown>;
    const { mode = 'exclusive', signal, steal = false } = options;
    return new Promise<unknown>((resolve, reject) => {
      if (signal?.aborted) return reject(aborted());
      const onAbort = () => {
        queue = queue.filter((other) => other !== entry);
        reject(aborted());
        settle();
      };
      const grant = () => {
        signal?.removeEventListener('abort', onAbort);
        const end = (reason?: Error) => {
          held = held.filter((other) => other !== hold);
          if (reason) reject(reason);
        };
        const hold: Held = { ...entry, end };
        held.push(hold);
        Promise.resolve()
          .then(() => callback({ name, mode }))
          .then(resolve, reject)
          .finally(() => {
            end();
            settle();
          });
      };
      const entry: Request = { name, mode, grant };
      if (steal) {
        for (const other of held.filter((hold) => hold.name === name)) other.end(aborted());
        return grant();
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      queue.push(entry);
      settle();
    });
  };

  return {
    request: request as LockManager['request'],
    async query() {
      const info = ({ name, mode }: Request) => ({ name, mode, clientId: '' });
      return { held: held.map(info), pending: queue.map(info) };
    },
    die(name) {
      for (const hold of held.filter((other) => other.name === name)) hold.end();
      settle();
    },
  };
}
