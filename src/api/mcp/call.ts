import type { Log } from '../../contract/log.ts';
import { parseObject } from '../../utils/json.ts';
import type { ToolResult } from '../../utils/mcp-result.ts';
import { withinTime } from './limit-time.ts';
import type { OfferedTool } from './offer.ts';

/**
 * Calls a tool on its server, for `ms` at most. `json` is what the model wrote as its arguments. Logs the call, without
 * arguments and result. A call that fails is a result too. Rejects only when `signal` aborts, with its reason.
 */
export async function callTool(
  { server, tool }: Pick<OfferedTool, 'server' | 'tool'>,
  json: string,
  { ms, signal, log }: { ms: number; signal: AbortSignal; log: Log },
): Promise<ToolResult> {
  const given = parseObject(json);
  if (!given) return failure('The arguments are not a JSON object.');
  const began = performance.now();
  const told = await withinTime(ms, signal, (limited) => server.call(tool.name, given, limited));
  const result = told ?? failure(`The call was stopped after ${Math.round(ms / 1000)} s.`);
  log.info('called a tool of an MCP server', {
    server: server.label,
    tool: tool.name,
    ms: Math.round(performance.now() - began),
    bytes: new TextEncoder().encode(result.text).length,
    failed: result.failed,
  });
  return result;
}

/** Returns the result of a call that the server could not make. */
export function failure(text: string): ToolResult {
  return { text, failed: true };
}
