import type { CallKnowledge, RunningCall } from './calls.ts';
import type { ToolServer, ToolServerState } from './server.ts';

/** The state of tools on the page. */
export interface ToolsState extends CallKnowledge {
  /** The states of the connections, by the id of the server. */
  links: Record<string, ToolServerState>;
}

export type ToolsAction =
  | { kind: 'tool servers'; servers: ToolServer[] }
  | { kind: 'tool link'; id: string; link: ToolServerState }
  | { kind: 'running calls'; calls: RunningCall[] }
  | { kind: 'running calls elsewhere'; tab: string; calls: RunningCall[] };

export const NO_TOOLS: ToolsState = { servers: [], links: {}, running: [], elsewhere: {} };

export function reduceTools(state: ToolsState, action: ToolsAction): ToolsState {
  switch (action.kind) {
    case 'tool servers':
      return { ...state, servers: action.servers };
    case 'tool link':
      return { ...state, links: { ...state.links, [action.id]: action.link } };
    case 'running calls':
      return { ...state, running: action.calls };
    case 'running calls elsewhere':
      return { ...state, elsewhere: { ...state.elsewhere, [action.tab]: action.calls } };
    default:
      return action satisfies never;
  }
}

/** Returns the calls that run in all tabs. */
export function allRunning({ running, elsewhere }: ToolsState): RunningCall[] {
  return [...running, ...Object.values(elsewhere).flat()];
}

/** True if a call of this conversation runs, in any tab. */
export function runsIn(state: ToolsState, conversationId: string): boolean {
  return allRunning(state).some((call) => call.conversationId === conversationId);
}
