import { once } from 'node:events';
import { createServer } from 'node:net';
import { messageOf } from './errors.ts';

/** Why an address could not be listened on, which uWebSockets.js does not tell: Node's own server is asked. */
export async function explainListenFailure(host: string, port: number, failure: unknown): Promise<Error> {
  switch (await listenErrorCode(host, port)) {
    case 'EADDRINUSE':
      return new Error(
        `port ${port} of ${host} is in use, perhaps by a Paddock that runs already. Choose another with --port ` +
          '(or PADDOCK_PORT); 0 picks a free one.',
      );
    case 'EACCES':
      return new Error(`port ${port} needs more rights than this user has. Choose one from 1024 on with --port.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`${host} is not an address of this machine. Choose another with --host.`);
    default:
      return new Error(messageOf(failure));
  }
}

/** The code of the error with which an address can not be listened on; undefined if it can. */
export async function listenErrorCode(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    server.close();
  }
}
