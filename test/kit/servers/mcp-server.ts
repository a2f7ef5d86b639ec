import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

/** An MCP server over streamable HTTP, made with the official SDK, on a free loopback port. */
export interface TestMcpServer extends AsyncDisposable {
  /** The URL of the endpoint. */
  url: string;
  /** The calls so far: each tool with its arguments. */
  calls: [tool: string, given: unknown][];
  /** The tools of the cancelled calls. */
  cancelled: string[];
  /** Ends all sessions, as a restart of the server does. */
  forget(): Promise<void>;
  /** Breaks all connections, as the death of the server does. */
  kill(): void;
  stop(): Promise<void>;
}

export interface McpServerOptions {
  /** The origin whose pages may call the server; null for none. */
  origin?: string | null;
  /** A text that `get_weather` adds to its result. */
  words?: string;
  /** The required value of the `Authorization` header. */
  key?: string;
}

/**
 * Starts an MCP server with the tools `get_weather`, `wait`, which ends only if it is cancelled, and `break`, which
 * fails.
 */
export async function startMcpServer({
  origin = null,
  key,
  words = '',
}: McpServerOptions = {}): Promise<TestMcpServer> {
  const calls: TestMcpServer['calls'] = [];
  const cancelled: string[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async () => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await describeTools(calls, cancelled, words).connect(transport as Parameters<McpServer['connect']>[0]);
    return transport;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (origin !== null) allow(response, origin);
    if (request.method === 'OPTIONS') return void response.writeHead(origin === null ? 405 : 204).end();
    if (key !== undefined && request.headers.authorization !== key) return void response.writeHead(401).end();
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : await open();
    if (!known) return void response.writeHead(404).end();
    await known.handleRequest(request, response);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const forget = async () => {
    const all = [...sessions.values()];
    sessions.clear();
    await Promise.all(all.map((transport) => transport.close()));
  };
  const stop = async () => {
    await forget();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { url, calls, cancelled, forget, kill: () => server.closeAllConnections(), stop, [Symbol.asyncDispose]: stop };
}

function describeTools(calls: TestMcpServer['calls'], cancelled: string[], words: string): McpServer {
  const server = new McpServer({ name: 'test-tools', title: 'Test tools', version: '1' });
  const city = { city: z.string() };
  server.registerTool('get_weather', { description: 'Tells the weather.', inputSchema: city }, async (given) => {
    calls.push(['get_weather', given]);
    return { content: [{ type: 'text', text: `It rains in <b>${given.city}</b>.${words}` }] };
  });
  server.registerTool('wait', { description: 'Waits.' }, async ({ signal }) => {
    calls.push(['wait', {}]);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    cancelled.push('wait');
    return { content: [] };
  });
  server.registerTool('break', { description: 'Fails.' }, async () => {
    calls.push(['break', {}]);
    return { isError: true, content: [{ type: 'text', text: 'The tool is broken.' }] };
  });
  return server;
}

function allow(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader(
    'access-control-allow-headers',
    'content-type, authorization, mcp-session-id, mcp-protocol-version',
  );
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  response.setHeader('access-control-expose-headers', 'mcp-session-id');
}
