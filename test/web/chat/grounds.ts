import { inject } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../kit/browser/browser.ts';
import { startPaddockSite } from '../../kit/browser/paddock-page.ts';
import { freePort } from '../../kit/servers/free-port.ts';
import { type RunningServer, startServer } from '../../kit/servers/server.ts';
import { listedModel, startStandIn } from './stand-in.ts';

/** Starts a server that computes with one thread. It has the test models, or those of another folder. */
export function startChatServer(
  flags: string[] = [],
  { models = inject('modelsFolder'), env = {} }: { models?: string; env?: Record<string, string> } = {},
): Promise<RunningServer> {
  return startServer(['--models', models, '--backend', 'cpu', '--threads', '1', '--log-level', 'warn', ...flags], env);
}

/** A server that comes and goes, always at the same address. */
export interface HomeServer {
  /** Its name and port. */
  host: string;
  start(...flags: string[]): Promise<void>;
  stop(): Promise<void>;
  /** Ends it in the midst of what it does. */
  kill(): void;
}

export async function createHomeServer(): Promise<HomeServer> {
  const port = await freePort();
  let server: RunningServer | null = null;
  return {
    host: `127.0.0.1:${port}`,
    start: async (...flags) => {
      server = await startChatServer(['--port', String(port), ...flags]);
    },
    stop: async () => {
      await server?.stop();
      server = null;
    },
    kill: () => {
      if (server) process.kill(server.pid, 'SIGKILL');
    },
  };
}

/** The names of the two grounds, for `it.each`. */
export const GROUNDS = [
  ['a server', 'server'],
  ['a static site', 'site'],
] as const;

/** A server that runs no model, a static site with the built-in one, and a browser for the pages of both. */
export interface BothGrounds {
  urls: Record<'server' | 'site', string>;
  browser: TestBrowser;
  close(): Promise<void>;
}

export async function openBothGrounds(options: Parameters<typeof launchBrowser>[0] = {}): Promise<BothGrounds> {
  const server = await startStandIn([listedModel('Words')]);
  const site = await startPaddockSite({ models: inject('modelsFolder') });
  const browser = await launchBrowser(options);
  return {
    urls: { server: `${server.url}/`, site: `${site.url}/` },
    browser,
    close: async () => {
      await browser.close();
      await server.stop();
      await site.stop();
    },
  };
}
