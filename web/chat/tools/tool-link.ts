import { MCP_WORKER } from '../../../src/api/http/mcp-policy.ts';
import type { ToolResult } from '../../../src/utils/mcp-result.ts';
import type { FromWorker, KnownServer, ToWorker } from '../../mcp/messages.ts';
import { LocalizedError } from '../messages/problem.ts';
import type { ToolServer } from './server.ts';

/**
 * The connection to an MCP server. Each call throws an `Error`, for people and for the model, if the server can't be
 * asked.
 */
export interface ToolLink {
  /** Fetches the name and the tools of the server. */
  list(): Promise<KnownServer>;
  /** Calls a tool. Throws an `AbortError` if the signal is aborted. */
  call(tool: string, given: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
  close(): void;
}

interface Asked {
  resolve: (message: FromWorker) => void;
  reject: (error: Error) => void;
}

/**
 * Opens a connection to an MCP server, in a worker: the policy of the page allows requests to its own server only. The
 * URL of the worker's script contains the origin of the MCP server, which the policy of the worker then allows.
 * `onChanged` is called when the server's list of tools has changed.
 */
export function openToolLink({ url, header }: ToolServer, onChanged: () => void): ToolLink {
  const script = new URL(MCP_WORKER, document.baseURI);
  script.searchParams.set('connect', new URL(url).origin);
  const worker = new Worker(script, { type: 'module' });
  const asked = new Map<number, Asked>();
  let lastId = 0;
  let broken: Error | null = null;
  const tell = (message: ToWorker) => worker.postMessage(message);
  const ask = (make: (id: number) => ToWorker, signal?: AbortSignal): Promise<FromWorker> => {
    if (broken) return Promise.reject(broken);
    lastId += 1;
    const id = lastId;
    const answer = new Promise<FromWorker>((resolve, reject) => {
      asked.set(id, { resolve, reject });
      signal?.addEventListener('abort', () => {
        tell({ kind: 'cancel', id });
        reject(signal.reason);
      });
    });
    tell(make(id));
    return answer.finally(() => asked.delete(id));
  };
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === 'changed') return onChanged();
    const question = asked.get(data.id);
    if (data.kind === 'failed') question?.reject(new Error(data.message));
    else question?.resolve(data);
  });
  worker.addEventListener('error', () => {
    broken = new LocalizedError('tools.noWorker');
    for (const { reject } of asked.values()) reject(broken);
  });
  tell({ kind: 'open', url, header });

  return {
    list: async () => {
      const answer = await ask((id) => ({ kind: 'list', id }));
      if (answer.kind !== 'listed') throw new LocalizedError('tools.noList');
      return answer.known;
    },
    call: async (tool, given, signal) => {
      const answer = await ask((id) => ({ kind: 'call', id, tool, arguments: given }), signal);
      if (answer.kind !== 'called') throw new LocalizedError('tools.noResult');
      return answer.result;
    },
    close: () => tell({ kind: 'close' }),
  };
}
