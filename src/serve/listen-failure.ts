import { once } from 'node:events';
import { createServer } from 'node:net';
import { messageOf } from '../utils/error-message.ts';

/**
 * Returns an error that explains why the server could not listen on an address. uWebSockets.js does not tell the reason, so this tries to
 * listen again with Node's server.
 */
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

/** Returns the code of the error that listening on an address gives; undefined if it works. */
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
