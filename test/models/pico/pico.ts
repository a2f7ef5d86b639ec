import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import { startServer } from '../../support/server.ts';

/** The model as it ships, from the root of the repository. */
export const MODEL = 'models/pico/pico.gguf';

/** The chat template that pico was trained with. */
export function template(): string {
  return readFileSync('models/pico/chat-template.jinja', 'utf8').trim();
}

/** Serves the built-in models on a backend until the file's tests are over, and resolves to the API's base URL. */
export async function servePico(backend: 'cpu' | 'wasm'): Promise<string> {
  const server = await startServer(['--models', 'models', '--backend', backend, '--threads', '1'], {
    PADDOCK_LOG_LEVEL: 'warn',
  });
  afterAll(server.stop);
  return `${server.url}/v1`;
}
