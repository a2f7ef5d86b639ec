import { serveEngine } from '../../../../src/core/wire.ts';
import { holdLock, hostPort } from '../../../../web/liveness.ts';
import { type Connection, hostLock, type JobMessage, type ServiceWorkerMessage } from '../../../../web/protocol.ts';
import type { Page, Tabs } from '../../../../web/service-worker/find-host.ts';
import { type FakeLocks, fakeLocks } from '../../support/locks.ts';

type Service = Parameters<typeof serveEngine>[1];

/** A tab that does with its messages what it is told to. */
export interface FakeTab {
  page: Page;
  /** What it was told, in order. */
  heard: ServiceWorkerMessage[];
}

/** What a tab does with a connection that reaches it; nothing is what a frozen one does. */
export type Behaviour = (connection: Connection, port: MessagePort) => void;

/** The tabs of one origin, in memory, with real channels between them and the service worker. */
export class FakeTabs implements Tabs {
  readonly locks: FakeLocks = fakeLocks();
  readonly #tabs = new Map<string, FakeTab>();
  readonly clients: Tabs['clients'] = {
    get: async (id) => this.#tabs.get(id)?.page,
    matchAll: async () => [...this.#tabs.values()].map(({ page }) => page),
  };

  /** Opens a tab. `onTakeOver` is what it does when it is asked to host. */
  open(id: string, behaviour: Behaviour = () => {}, onTakeOver: (epoch: number) => void = () => {}): FakeTab {
    const heard: ServiceWorkerMessage[] = [];
    const postMessage: Page['postMessage'] = (message, [port] = []) => {
      heard.push(message);
      if (message.kind === 'connect') behaviour(message.connection, port as MessagePort);
      if (message.kind === 'take-over') onTakeOver(message.epoch);
    };
    const tab = { page: { id, postMessage }, heard };
    this.#tabs.set(id, tab);
    return tab;
  }

  /** Makes a tab the host. */
  async host(id: string, epoch: number): Promise<void> {
    await holdLock(hostLock(epoch, id), this.locks);
  }

  /** Closes a tab: its locks are free, and nobody finds it any more. */
  close(id: string, epoch: number): void {
    this.#tabs.delete(id);
    this.locks.die(hostLock(epoch, id));
  }

  /** A tab's worker that serves the engine. */
  engine(service: Service): Behaviour {
    return (connection, port) => void serveEngine(hostPort(port, connection.requestId, this.locks), service, () => {});
  }

  /** A tab's worker that does jobs, of which it says all of this. */
  jobs(messages: JobMessage[], onCancel: () => void = () => {}): Behaviour {
    return ({ requestId }, port) => {
      const hosted = hostPort(port, requestId, this.locks);
      hosted.onmessage = onCancel;
      for (const message of messages) hosted.postMessage(message);
    };
  }
}
