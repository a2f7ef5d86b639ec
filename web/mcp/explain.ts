import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { messageOf } from '../../src/utils/error-message.ts';

/** A request got no response that the worker may read. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/**
 * Returns a message, for people and for the model, that says why a server could not be asked. `url` is the address of
 * the server, `origin` the origin of the page.
 */
export async function explain(error: unknown, url: string, origin: string): Promise<string> {
  if (error instanceof Unreachable) return explainSilence(url, origin);
  if (error instanceof StreamableHTTPError) return explainStatus(error.code ?? 0, error.message);
  if (error instanceof McpError) {
    if (error.code === ErrorCode.RequestTimeout) return 'The server has not answered in time.';
    return error.message.replace(/^MCP error -?\d+: /, '');
  }
  return messageOf(error);
}

function explainStatus(status: number, message: string): string {
  if (status === 401 || status === 403) return `The server wants a key, or not this one: it answers with ${status}.`;
  if (status === 404) return 'There is no MCP server at this address: it answers with 404.';
  // The SDK uses codes below 100 for a response with another content type.
  if (status < 100) return 'What answers at this address does not speak MCP over HTTP.';
  return `The server answers with ${status}: ${message.slice(0, 300)}`;
}

/**
 * Browsers hide whether a server is down or refuses this origin. A `no-cors` request succeeds if the server is up,
 * although its response can't be read.
 */
async function explainSilence(url: string, origin: string): Promise<string> {
  const answers = await fetch(url, { method: 'HEAD', mode: 'no-cors' }).then(
    () => true,
    () => false,
  );
  const consent = `allow the origin ${origin} (CORS), with the headers that this page sends, and expose Mcp-Session-Id`;
  if (answers) return `The server is there, but does not let this page call it. It has to ${consent}.`;
  return `The server can’t be reached. If it runs, it may not let this page call it: then it has to ${consent}.`;
}
