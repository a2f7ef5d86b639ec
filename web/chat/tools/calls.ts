import type { ToolCallObject } from '../../../src/api/chat/tool-call.ts';
import { openCalls, type ReplyTurn, type ShownConversation, type Turn } from '../conversation/conversation.ts';
import type { MessageNodes } from '../conversation/tree/tree.ts';
import { type ChatTools, NO_CHAT_TOOLS } from './chat-tools.ts';
import { namesOfTyped, type RunnableTool, runnableTools } from './offer.ts';
import type { ToolServer } from './server.ts';

/** A running call, in this tab or another one. */
export interface RunningCall {
  conversationId: string;
  callId: string;
}

/** A call without a result, and its state. */
export interface OpenCall {
  call: ToolCallObject;
  /** The tool, if the page can run it. Otherwise a person types the result. */
  tool: RunnableTool | undefined;
  state:
    | 'running'
    /** The call waits for the consent of a person. */
    | 'asking'
    /** The call waits for consent, because too many calls in a row have run without it. */
    | 'asking after many'
    /** The call waits for consent, because it was begun before and its result is unknown. */
    | 'asking again'
    /** A call of the same reply runs in another tab. */
    | 'elsewhere';
}

/** The number of replies in a row whose calls may run without consent. After that, a person is asked. */
export const MOST_ROUNDS = 10;

/** The part of the state that decides the states of calls. */
export interface CallKnowledge {
  servers: ToolServer[];
  /** The calls that run in this tab. */
  running: RunningCall[];
  /** The calls that run in other tabs, by the id of the tab. */
  elsewhere: Record<string, RunningCall[]>;
}

/** Returns the tools that the page can run in a conversation. */
export function toolsOf(
  { settings }: Pick<ShownConversation, 'settings'>,
  servers: ToolServer[],
  chat?: ChatTools,
): RunnableTool[] {
  return runnableTools(servers, chat, namesOfTyped(settings.tools));
}

/** Returns the calls of the last reply that have no result. */
export function openCallsOf(
  conversation: ShownConversation,
  chat: ChatTools | undefined,
  known: CallKnowledge,
): OpenCall[] {
  const tools = toolsOf(conversation, known.servers, chat);
  const reply = lastReply(conversation.turns);
  const open = openCalls(conversation);
  const isIn = (calls: RunningCall[], callId: string) =>
    calls.some((one) => one.conversationId === conversation.id && one.callId === callId);
  const others = Object.values(known.elsewhere).flat();
  const isElsewhere = open.some(({ id }) => isIn(others, id));
  const many = roundsOf(conversation.turns) > MOST_ROUNDS;
  return open.map((call) => {
    const tool = tools.find(({ name }) => name === call.function.name);
    const again = reply?.begun?.includes(call.id);
    const asking = again ? 'asking again' : many ? 'asking after many' : 'asking';
    const state = isIn(known.running, call.id) ? 'running' : isElsewhere ? 'elsewhere' : asking;
    return { call, tool, state };
  });
}

/** True if a call may run without asking a person. */
export function runsByItself({ tool, state }: OpenCall, chat: ChatTools = NO_CHAT_TOOLS): boolean {
  if (!tool || state !== 'asking') return false;
  return tool.runner.kind === 'calculator' || chat.allowed.includes(tool.consent);
}

/** Returns the number of replies with calls since the last message of a person. */
function roundsOf(turns: Turn[]): number {
  const since = turns.slice(turns.findLastIndex(({ role }) => role === 'user') + 1);
  return since.filter((turn) => turn.role === 'assistant' && turn.calls.length > 0).length;
}

/** Returns the last reply of a branch; undefined if there is none. */
export function lastReply(turns: Turn[]): ReplyTurn | undefined {
  const last = turns.findLast(({ role }) => role === 'assistant');
  return last?.role === 'assistant' ? last : undefined;
}

/** Parses the arguments of a call. Throws an `Error`, whose message is for the model, if they are not a JSON object. */
export function readArguments({ function: { arguments: text } }: ToolCallObject): Record<string, unknown> {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    throw new Error(`The arguments are not valid JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('The arguments must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

/** Returns the id of the message that the next result of this reply follows: its last result, or the reply itself. */
export function lastResultAfter(messages: MessageNodes, replyId: string): string {
  const next = Object.values(messages).find(
    ({ parent, turn, deleted }) => parent === replyId && turn.value.role === 'tool' && !deleted.value,
  );
  return next ? lastResultAfter(messages, next.id) : replyId;
}
