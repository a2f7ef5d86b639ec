import type { ToolResult } from '../../../src/utils/mcp-result.ts';
import { LocalizedError } from '../messages/problem.ts';
import { type Context, localizedMessageOf, setValues } from '../state/context-actions.ts';
import { newId } from '../state/new-id.ts';
import { currentHead } from '../state/selectors.ts';
import { type ChatTools, NO_CHAT_TOOLS } from './chat-tools.ts';
import type { RunnableTool } from './offer.ts';
import type { ToolServer, ToolServerState } from './server.ts';
import { followToolServers, keepToolServers, readToolServers } from './storage.ts';
import { openToolLink, type ToolLink } from './tool-link.ts';
import type { ToolsAction } from './tools-state.ts';

export interface ToolActions {
  /** Adds a server and fetches its list of tools. Returns its id. */
  add(server: Pick<ToolServer, 'url' | 'header'>): string;
  /** Fetches the list of tools of a server again, on a new connection. */
  reconnect(id: string): Promise<void>;
  /** Fetches the tools of every server that was not asked since the page was loaded. */
  connectAll(): void;
  /** Removes a server. Returns a function that restores it. */
  remove(id: string): () => void;
  /** Switches a tool on or off for all conversations. Models do not get a tool that is off. */
  switchTool(id: string, tool: string, on: boolean): void;
  /** Sets which tools run in the current conversation. */
  setChatTools(values: Partial<ChatTools>): void;
}

export interface ToolRunning {
  /** Reads the stored servers, and follows the changes of other tabs. */
  restore(): void;
  runTool(tool: RunnableTool, given: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
}

export function toolActions(context: Context): ToolActions & ToolRunning {
  const { store } = context;
  const links = new Map<string, { link: ToolLink; server: ToolServer }>();
  const dispatch = (change: ToolsAction) => store.dispatch({ kind: 'tools', change });
  const setLink = (id: string, link: ToolServerState) => dispatch({ kind: 'tool link', id, link });
  const find = (id: string) => store.get().tools.servers.find((server) => server.id === id);

  const read = () => dispatch({ kind: 'tool servers', servers: readToolServers() });
  /** Changes the stored servers. It reads them first, because another tab may have changed them. */
  const update = (alter: (servers: ToolServer[]) => ToolServer[]) => {
    keepToolServers(alter(readToolServers()));
    read();
  };
  const updateOne = (id: string, values: Partial<ToolServer>) =>
    update((servers) => servers.map((server) => (server.id === id ? { ...server, ...values } : server)));

  const linkTo = (server: ToolServer): ToolLink => {
    const known = links.get(server.id);
    if (known) return known.link;
    const link = openToolLink(server, () => void connect(server.id));
    links.set(server.id, { link, server });
    return link;
  };
  const disconnect = (id: string) => {
    links.get(id)?.link.close();
    links.delete(id);
  };
  const connect = async (id: string) => {
    const server = find(id);
    if (!server) return;
    setLink(id, { kind: 'connecting' });
    try {
      updateOne(id, await linkTo(server).list());
      setLink(id, { kind: 'ready' });
    } catch (error) {
      setLink(id, { kind: 'failed', message: localizedMessageOf(error) });
    }
  };

  return {
    restore: () => {
      read();
      followToolServers(read);
    },
    add: ({ url, header }) => {
      const id = newId();
      update((servers) => [...servers, { id, url, header, title: '', tools: [], off: [] }]);
      void connect(id);
      return id;
    },
    reconnect: (id) => {
      disconnect(id);
      return connect(id);
    },
    connectAll: () => {
      const { servers, links: known } = store.get().tools;
      for (const { id } of servers) if (!known[id]) void connect(id);
    },
    remove: (id) => {
      const server = find(id);
      disconnect(id);
      update((servers) => servers.filter((one) => one.id !== id));
      return () => {
        if (!server) return;
        update((servers) => [...servers.filter((one) => one.id !== id), server]);
        void connect(id);
      };
    },
    switchTool: (id, tool, on) => {
      const { off = [] } = find(id) ?? {};
      updateOne(id, { off: on ? off.filter((name) => name !== tool) : [...off, tool] });
    },
    setChatTools: (values) => {
      const { id, tools } = currentHead(store.get());
      setValues(context, id, { tools: { ...NO_CHAT_TOOLS, ...tools?.value, ...values } });
    },
    runTool: async ({ runner }, given, signal) => {
      if (runner.kind === 'calculator') {
        const { calculate } = await import('./calculate.ts');
        return { text: calculate(String(given.expression ?? '')), failed: false };
      }
      const server = find(runner.serverId);
      if (!server) throw new LocalizedError('tools.serverRemoved');
      return linkTo(server).call(runner.tool, given, signal);
    },
  };
}
