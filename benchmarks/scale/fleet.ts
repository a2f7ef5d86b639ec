import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/kit/servers/free-port.ts';
import { type RunningServer, startServer } from '../../test/kit/servers/server.ts';

/** A Paddock server at a fixed port. A new server takes the port after the old one ends. */
export interface Replica {
  port: number;
  server: RunningServer;
}

/** Several Paddock servers with the same models. */
export interface Fleet extends AsyncDisposable {
  replicas: Replica[];
  /**
   * Ends a server with SIGTERM and starts another one at its port. Resolves to the exit code of the old server once the
   * new one is ready.
   */
  restart(replica: Replica): Promise<number | null>;
  /** Kills a server with SIGKILL. */
  kill(replica: Replica): Promise<void>;
  /** Starts a server at the port of a killed one. */
  revive(replica: Replica): Promise<void>;
}

/** The time between SIGTERM and SIGKILL that the defaults of Kubernetes and systemd allow, in seconds. */
const LEAVING = { PADDOCK_LAME_DUCK: '3', PADDOCK_SHUTDOWN_GRACE: '25', PADDOCK_LOG_LEVEL: 'warn' };

/** Starts this many servers with these flags. */
export async function startFleet(count: number, flags: string[]): Promise<Fleet> {
  const start = (port: number) => startServer([...flags, '--port', String(port)], LEAVING);
  const replicas: Replica[] = [];
  for (let index = 0; index < count; index++) {
    const port = await freePort();
    replicas.push({ port, server: await start(port) });
  }
  return {
    replicas,
    async restart(replica) {
      const code = await replica.server.stop();
      replica.server = await start(replica.port);
      return code;
    },
    async kill({ server }) {
      process.kill(server.pid, 'SIGKILL');
      await sleep(50);
    },
    async revive(replica) {
      replica.server = await start(replica.port);
    },
    async [Symbol.asyncDispose]() {
      for (const { server } of replicas)
        try {
          process.kill(server.pid, 'SIGKILL');
        } catch {
          // The server has ended already.
        }
    },
  };
}
