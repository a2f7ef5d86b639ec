import { Client } from '@modelcontextprotocol/sdk/client';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { config } from 'zod/v4';
import { toToolResult } from '../../src/utils/mcp-result.ts';
import { explain, Unreachable } from './explain.ts';
import type { FromWorker, KnownServer, ServerTool, ToWorker } from './messages.ts';

declare const self: DedicatedWorkerGlobalScope;

/** A call fails if the server sends nothing for this time, in ms. */
const SILENCE_MS = 60_000;
/** The longest time that a call may take in total, in ms. */
const LONGEST_MS = 600_000;

/** The most pages of tools that are read, because a faulty server may return a next cursor for ever. */
const MOST_PAGES = 20;

// zod would call `new Function` to test if it is allowed. The policy forbids it, and browsers report each attempt.
config({ jitless: true });

interface Session {
  client: Client;
  transport: StreamableHTTPClientTransport;
}

let server: Extract<ToWorker, { kind: 'open' }> | null = null;
let session: Promise<Session> | null = null;
const running = new Map<number, AbortController>();

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  switch (data.kind) {
    case 'open':
      server = data;
      return;
    case 'list':
      return void answer(data.id, async () => ({ kind: 'listed', id: data.id, known: await list() }));
    case 'call':
      return void answer(data.id, async (signal) => ({
        kind: 'called',
        id: data.id,
        result: await call(data.tool, data.arguments, signal),
      }));
    case 'cancel':
      return running.get(data.id)?.abort();
    case 'close':
      return void close();
    default:
      return data satisfies never;
  }
};

async function answer(id: number, work: (signal: AbortSignal) => Promise<FromWorker>): Promise<void> {
  const stopper = new AbortController();
  running.set(id, stopper);
  try {
    self.postMessage(await inSession(() => work(stopper.signal)));
  } catch (error) {
    const message = await explain(error, server?.url ?? '', self.location.origin);
    self.postMessage({ kind: 'failed', id, message } satisfies FromWorker);
  } finally {
    running.delete(id);
  }
}

/**
 * Runs the work. A server that has restarted knows the session no more and answers with a 404, before it does anything:
 * then the work is run a second time, in a new session.
 */
async function inSession<T>(work: () => Promise<T>): Promise<T> {
  const begun = session;
  try {
    return await work();
  } catch (error) {
    const isForgotten = error instanceof StreamableHTTPError && error.code === 404 && begun !== null;
    if (isForgotten) session = null;
    if (!isForgotten) throw error;
    return work();
  }
}

async function list(): Promise<KnownServer> {
  const { client } = await connected();
  const tools: ServerTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page === 0 || (cursor !== undefined && page < MOST_PAGES); page += 1) {
    const found = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name, description = '', inputSchema } of found.tools) {
      tools.push({ name, description, parameters: inputSchema });
    }
    cursor = found.nextCursor;
  }
  const { title, name = '' } = client.getServerVersion() ?? {};
  return { title: title ?? name, tools };
}

async function call(name: string, given: Record<string, unknown>, signal: AbortSignal) {
  const { client } = await connected();
  const result = await client.callTool({ name, arguments: given }, undefined, {
    signal,
    timeout: SILENCE_MS,
    maxTotalTimeout: LONGEST_MS,
    // Progress messages restart the timeout. The SDK asks for them only if there is a handler.
    resetTimeoutOnProgress: true,
    onprogress: () => {},
  });
  return toToolResult(result as Parameters<typeof toToolResult>[0]);
}

/** Returns the session with the server. If it can't be opened, the next call tries again. */
function connected(): Promise<Session> {
  session ??= connect().catch((error: unknown) => {
    session = null;
    throw error;
  });
  return session;
}

async function connect(): Promise<Session> {
  if (!server) throw new Error('No server was named.');
  const { url, header } = server;
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: header ? { [header.name]: header.value } : {} },
    fetch: reach,
  });
  const client = new Client(
    { name: 'paddock-chat', title: 'Paddock', version: '1' },
    { listChanged: { tools: { autoRefresh: false, onChanged: () => self.postMessage({ kind: 'changed' }) } } },
  );
  // The SDK's types do not compile with exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0], { timeout: SILENCE_MS });
  return { client, transport };
}

/** Fetches. Throws an `Unreachable` if there is no response, because each browser words that error differently. */
async function reach(url: string | URL, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw init?.signal?.aborted ? error : new Unreachable();
  }
}

async function close(): Promise<void> {
  for (const stopper of running.values()) stopper.abort();
  const last = await session?.catch(() => null);
  // The server may refuse to end the session. The worker closes in any case.
  await last?.transport.terminateSession().catch(() => {});
  await last?.client.close().catch(() => {});
  self.close();
}
