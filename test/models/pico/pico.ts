import { afterAll } from 'vitest';
import { startServer } from '../../kit/servers/server.ts';

/** Serves the built-in models on a backend until the file's tests are over, and resolves to the API's base URL. */
export async function servePico(backend: 'cpu' | 'wasm'): Promise<string> {
  const server = await startServer(['--models', 'models', '--backend', backend, '--threads', '1'], {
    PADDOCK_LOG_LEVEL: 'warn',
  });
  afterAll(server.stop);
  return `${server.url}/v1`;
}
