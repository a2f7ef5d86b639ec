import { setTimeout as delay } from 'node:timers/promises';
import { type Log, toLogFields } from '../contract/log.ts';
import type { McpListing, McpServer, McpTool } from '../contract/mcp.ts';
import type { McpConnection } from './connection.ts';
import type { McpServerSettings } from './settings.ts';

/** The least time between two starts of a server, in ms: one that dies at once is not started over and over. */
const RESTART_PAUSE_MS = 5000;

export interface McpOptions {
  /** Paddock's version, for the servers. */
  version: string;
  log: Log;
  /** By default `RESTART_PAUSE_MS`. */
  restartPauseMs?: number;
}

/**
 * Returns a server that is connected when it is first asked, and again when it is asked after its connection has ended.
 */
export function createMcpServer(
  settings: McpServerSettings,
  { version, log, restartPauseMs = RESTART_PAUSE_MS }: McpOptions,
): McpServer & AsyncDisposable {
  const { label, tools: allowed } = settings;
  const closing = new AbortController();
  let connection: Promise<McpConnection> | null = null;
  let listing: Promise<McpTool[]> | null = null;
  let startedAt = Number.NEGATIVE_INFINITY;

  const open = async (): Promise<McpConnection> => {
    const pause = startedAt + restartPauseMs - performance.now();
    if (pause > 0) await delay(pause, undefined, { signal: closing.signal });
    startedAt = performance.now();
    // Loaded on demand: most servers have no MCP servers.
    const { connectMcp } = await import('./connection.ts');
    const opened = await connectMcp(settings, version, () => {
      listing = null;
    });
    log.info('connected to an MCP server', { server: label, ms: Math.round(performance.now() - startedAt) });
    return opened;
  };
  const connected = (): Promise<McpConnection> => {
    closing.signal.throwIfAborted();
    if (connection) return connection;
    const opening = open();
    const forget = () => {
      if (connection !== opening) return;
      connection = null;
      listing = null;
    };
    connection = opening;
    opening.then(
      ({ ended }) =>
        ended.then(() => {
          forget();
          if (!closing.signal.aborted) log.warn('the connection to an MCP server has ended', { server: label });
        }),
      (error: unknown) => {
        forget();
        if (!closing.signal.aborted)
          log.warn('an MCP server can not be reached', { server: label, ...toLogFields(error) });
      },
    );
    return opening;
  };
  const listed = (): Promise<McpTool[]> => {
    if (listing) return listing;
    const asked = connected().then((server) => server.list());
    listing = asked;
    asked.catch(() => {
      if (listing === asked) listing = null;
    });
    return asked;
  };
  /** Runs the work, and a second time in a new session if the server knows the present one no more. */
  const inSession = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = connection;
    try {
      return await work();
    } catch (error) {
      const { isForgotten } = await import('./connection.ts');
      if (before === null || !isForgotten(error)) throw error;
      if (connection === before) {
        connection = null;
        listing = null;
        void before.then((old) => old[Symbol.asyncDispose]()).catch(() => {});
      }
      return work();
    }
  };

  return {
    label,
    async list(signal): Promise<McpListing> {
      try {
        const tools = await untilAborted(inSession(listed), signal);
        return { tools: tools.filter(({ name }) => allowed === null || allowed.includes(name)), error: null };
      } catch (error) {
        signal.throwIfAborted();
        return { tools: [], error: await wordsFor(error) };
      }
    },
    async call(tool, given, signal) {
      try {
        return await untilAborted(
          inSession(async () => (await connected()).call(tool, given, signal)),
          signal,
        );
      } catch (error) {
        signal.throwIfAborted();
        return { text: await wordsFor(error), failed: true };
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await connection?.then((open) => open[Symbol.asyncDispose]()).catch(() => {});
    },
  };
}

async function wordsFor(error: unknown): Promise<string> {
  const { explainMcpError } = await import('./connection.ts');
  return explainMcpError(error);
}

/** Settles as the work does, or rejects as soon as `signal` aborts, while the work may continue. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
