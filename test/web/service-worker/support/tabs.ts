import type { PullEvent } from '../../../../src/contract/models/puller.ts';
import type { ChatService, JournaledService } from '../../../../src/engine/chat-service.ts';
import { type Serve, serveCall } from '../../../../src/wire/call.ts';
import { serveInference } from '../../../../src/wire/inference-calls.ts';
import { holdLock, leaderPort } from '../../../../web/liveness.ts';
import {
  type Connection,
  type EngineState,
  leaderLock,
  type ModelJob,
  type ServiceWorkerMessage,
} from '../../../../web/protocol.ts';
import type { Page, Tabs } from '../../../../web/service-worker/find-leader.ts';
import { type FakeLocks, fakeLocks } from '../../support/locks.ts';

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

  /** Opens a tab. `onTakeOver` is what it does when it is asked to lead. */
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

  /** Makes a tab the leader. */
  async lead(id: string, epoch: number): Promise<void> {
    await holdLock(leaderLock(epoch, id), this.locks);
  }

  /** Closes a tab: its locks are free, and nobody finds it any more. */
  close(id: string, epoch: number): void {
    this.#tabs.delete(id);
    this.locks.die(leaderLock(epoch, id));
  }

  /** A tab's worker that serves the engine. */
  engine(service: ChatService): Behaviour {
    const journaled: JournaledService = {
      generate: (request, emit, signal) =>
        service.generate(request, (event) => emit({ of: event, events: [event] }), signal),
      ask: service.ask,
    };
    return ({ id }, port) => void serveInference(leaderPort(port, id, this.locks), journaled, () => {});
  }

  /** A tab's worker that tells the engine's state. */
  state(state: EngineState): Behaviour {
    return ({ id }, port) =>
      void serveCall<null, EngineState>(
        leaderPort(port, id, this.locks),
        async (_, emit) => emit(state),
        () => {},
      );
  }

  /** A tab's worker that does jobs in this way. */
  jobs(doJob: Serve<ModelJob, PullEvent>): Behaviour {
    return ({ id }, port) => void serveCall(leaderPort(port, id, this.locks), doJob, () => {});
  }
}
