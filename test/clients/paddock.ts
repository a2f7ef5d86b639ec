import { afterAll, inject } from 'vitest';
import { z } from 'zod';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

export const API_KEY = 'client-key';

/** Starts the Paddock that a file's clients speak to, stops it after the file's tests, and resolves to its base URL. */
export async function servePaddock(): Promise<string> {
  const { url } = await startPaddock([], { PADDOCK_LOG_LEVEL: 'warn' });
  return `${url}/v1`;
}

/** Starts a Paddock with further flags and variables, and stops it after the file's tests. */
export async function startPaddock(flags: string[], env: Record<string, string>): Promise<RunningServer> {
  const common = ['--models', inject('modelsFolder'), '--backend', 'cpu', '--threads', '1'];
  const server = await startServer([...common, ...flags], { PADDOCK_API_KEYS: API_KEY, ...env });
  afterAll(server.stop);
  return server;
}

/** Bounded, so that even a model of random weights comes to an end; strict, so that a foreign field fails the test. */
export const Book = z.strictObject({
  kind: z.enum(['novel', 'play']),
  pages: z.int().min(1).max(900),
  lent: z.boolean(),
  title: z.string().max(8),
  tags: z.array(z.enum(['old', 'new'])).max(2),
  version: z.literal(1),
});

/** The number of a shelf, for a tool that needs little room in the context. */
export const Shelf = z.strictObject({ shelf: z.int().min(1).max(900) });
