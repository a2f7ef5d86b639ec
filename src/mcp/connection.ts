import { Client } from '@modelcontextprotocol/sdk/client';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { McpTool } from '../contract/mcp.ts';
import { type ToolResult, toToolResult } from '../utils/mcp-result.ts';
import { createLimitedFetch } from './limited-fetch.ts';
import type { McpServerSettings } from './settings.ts';

/** An open connection to an MCP server. This is the only file of the server that uses the SDK. */
export interface McpConnection extends AsyncDisposable {
  /** Resolves when the connection has ended, as when the server's process dies. */
  readonly ended: Promise<void>;
  list(): Promise<McpTool[]>;
  /** Calls a tool. Rejects if the server can't be asked, and when `signal` aborts. */
  call(tool: string, given: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
}

/** The longest time for the first answer of a server, which may have to start, and for its list of tools, in ms. */
const ANSWER_MS = 30_000;
/** The SDK ends a call after 60 s by default. The time of a call is limited by its signal instead. */
const NO_LIMIT_MS = 2 ** 31 - 1;
/** The most pages of tools that are read, because a faulty server may return a next cursor for ever. */
const MOST_PAGES = 20;

/** Results become text for a model, so none has to match a schema. */
const noValidation = {
  getValidator: () => (data: unknown) => ({ valid: true as const, data: data as never, errorMessage: undefined }),
};

/** Connects to a server. `onChanged` is called when its list of tools has changed. Throws if it can't be reached. */
export async function connectMcp(
  { reach }: Pick<McpServerSettings, 'reach'>,
  version: string,
  onChanged: () => void,
): Promise<McpConnection> {
  // An answer that breaks off ends the connection, and with it all calls that wait.
  const transport = openTransport(reach, () => void client.close());
  const client = new Client(
    { name: 'paddock', title: 'Paddock', version },
    { jsonSchemaValidator: noValidation, listChanged: { tools: { autoRefresh: false, onChanged } } },
  );
  const ended = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  // The SDK's types do not compile with exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0], { timeout: ANSWER_MS });
  return {
    ended,
    list: () => listTools(client),
    async call(name, given, signal) {
      const options = { signal, timeout: NO_LIMIT_MS };
      const result = await client.callTool({ name, arguments: given }, undefined, options);
      return toToolResult(result as Parameters<typeof toToolResult>[0]);
    },
    async [Symbol.asyncDispose]() {
      // A server may refuse to end its session, or be gone.
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession().catch(() => {});
      await client.close();
    },
  };
}

/**
 * A process gets the variables that programs need, such as PATH and HOME, and those of the configuration: Paddock's own
 * variables hold keys.
 */
function openTransport(reach: McpServerSettings['reach'], onBroken: () => void) {
  if (reach.kind === 'http') {
    const { url, headers } = reach;
    return new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      fetch: createLimitedFetch(onBroken),
    });
  }
  const { command, args, env } = reach;
  // What servers write to standard error may repeat the arguments of calls, which no log may have.
  return new StdioClientTransport({ command, args, env, stderr: 'ignore' });
}

async function listTools(client: Client): Promise<McpTool[]> {
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page === 0 || (cursor !== undefined && page < MOST_PAGES); page += 1) {
    const found = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: ANSWER_MS });
    for (const { name, description = '', inputSchema, annotations } of found.tools) {
      tools.push({ name, description, parameters: inputSchema, readOnly: annotations?.readOnlyHint === true });
    }
    cursor = found.nextCursor;
  }
  return tools;
}

/**
 * True if a server knows its session no more, as after a restart: it answers so before it does anything. The protocol has
 * a 404 for it; some servers answer with a 400.
 */
export function isForgotten(error: unknown): boolean {
  return error instanceof StreamableHTTPError && (error.code === 404 || error.code === 400);
}

/** Returns why a server could not be asked, in words for clients and models. It tells neither commands nor addresses. */
export function explainMcpError(error: unknown): string {
  if (error instanceof StreamableHTTPError) {
    const { code = 0 } = error;
    if (code === 401 || code === 403) return `The MCP server does not take the credentials: it answers with ${code}.`;
    // The SDK uses codes below 100 for a response with another content type.
    return code < 100 ? 'The MCP server does not speak MCP over HTTP.' : `The MCP server answers with ${code}.`;
  }
  if (!(error instanceof McpError)) return 'The MCP server can not be reached.';
  const { code, message } = error;
  if (code === ErrorCode.RequestTimeout) return 'The MCP server has not answered in time.';
  if (code === ErrorCode.ConnectionClosed) return 'The MCP server has ended.';
  return message.replace(/^MCP error -?\d+: /, '');
}
