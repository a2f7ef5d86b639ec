import type { ToolResult } from '../chat/tools/result.ts';
import type { ServerTool, ToolServer } from '../chat/tools/server.ts';

// A worker speaks to one MCP server. Its policy lets it call that one origin, and the page's lets the page call none.

/** From the page to the worker. The first one is `open`. Each question has an id of its own, which the answer bears. */
export type ToWorker =
  | ({ kind: 'open' } & Pick<ToolServer, 'url' | 'header'>)
  | { kind: 'list'; id: number }
  | { kind: 'call'; id: number; tool: string; arguments: Record<string, unknown> }
  | { kind: 'cancel'; id: number }
  /** The worker takes its leave of the server, and ends. */
  | { kind: 'close' };

export type FromWorker =
  | { kind: 'listed'; id: number; known: KnownServer }
  | { kind: 'called'; id: number; result: ToolResult }
  /** The message is for people, and for the model. */
  | { kind: 'failed'; id: number; message: string }
  /** The server has other tools now. */
  | { kind: 'changed' };

/** What a server tells of itself. */
export interface KnownServer {
  title: string;
  tools: ServerTool[];
}
