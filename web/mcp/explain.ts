import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';

/** A request got no answer that the page may read. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Says for people, and for the model, why a server could not be asked. `origin` is that of the page. */
export async function explain(error: unknown, url: string, origin: string): Promise<string> {
  if (error instanceof Unreachable) return explainSilence(url, origin);
  if (error instanceof StreamableHTTPError) return explainStatus(error.code ?? 0, error.message);
  if (error instanceof McpError) {
    if (error.code === ErrorCode.RequestTimeout) return 'The server has not answered in time.';
    return error.message.replace(/^MCP error -?\d+: /, '');
  }
  return error instanceof Error ? error.message : String(error);
}

function explainStatus(status: number, message: string): string {
  if (status === 401 || status === 403) return `The server wants a key, or not this one: it answers with ${status}.`;
  if (status === 404) return 'There is no MCP server at this address: it answers with 404.';
  // The SDK's own code for an answer of another type.
  if (status < 100) return 'What answers at this address does not speak MCP over HTTP.';
  return `The server answers with ${status}: ${message.slice(0, 300)}`;
}

/** Browsers do not tell a page why it may not read an answer. A request whose answer nobody reads shows whether there is one. */
async function explainSilence(url: string, origin: string): Promise<string> {
  const answers = await fetch(url, { method: 'HEAD', mode: 'no-cors' }).then(
    () => true,
    () => false,
  );
  const consent = `allow the origin ${origin} (CORS), with the headers that this page sends, and expose Mcp-Session-Id`;
  if (answers) return `The server is there, but does not let this page call it. It has to ${consent}.`;
  return `The server can’t be reached. If it runs, it may not let this page call it: then it has to ${consent}.`;
}
