import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/kit/servers/free-port.ts';
import { type RunningServer, startServer } from '../../test/kit/servers/server.ts';

/** A Paddock at a port of its own, where the next one takes its place when it ends. */
export interface Replica {
  port: number;
  server: RunningServer;
}

/** Several Paddocks with the same models. */
export interface Fleet extends AsyncDisposable {
  replicas: Replica[];
  /** Ends one with SIGTERM and starts another at its port. Resolves to the exit code of the first when the second is ready. */
  restart(replica: Replica): Promise<number | null>;
  /** Kills one with SIGKILL. */
  kill(replica: Replica): Promise<void>;
  /** Starts another in the place of one that was killed. */
  revive(replica: Replica): Promise<void>;
}

/** What Kubernetes' and systemd's defaults leave room for, in seconds. */
const LEAVING = { PADDOCK_LAME_DUCK: '3', PADDOCK_SHUTDOWN_GRACE: '25', PADDOCK_LOG_LEVEL: 'warn' };

/** Starts so many servers with these flags. */
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
          // It has ended by itself.
        }
    },
  };
}
