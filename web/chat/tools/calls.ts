import type { ToolCallObject } from '../../../src/api/chat/tool-call.ts';
import { openCalls, type ReplyTurn, type ShownConversation, type Turn } from '../conversation/conversation.ts';
import type { MessageNodes } from '../conversation/tree/tree.ts';
import { type ChatTools, NO_CHAT_TOOLS } from './chat-tools.ts';
import { namesOfTyped, type RunnableTool, runnableTools } from './offer.ts';
import type { ToolServer } from './server.ts';

/** A call that runs, in this tab or another one. */
export interface RunningCall {
  conversationId: string;
  callId: string;
}

/** How it stands with a call that has no result. */
export interface OpenCall {
  call: ToolCallObject;
  /** The tool, if the page can run it. A person types the result of any other. */
  tool: RunnableTool | undefined;
  state:
    | 'running'
    /** A person is to say whether it may run. */
    | 'asking'
    /** A person is to say so, because so many calls have run without one. */
    | 'asking after many'
    /** The same, because it was begun before and its result is not known. */
    | 'asking again'
    /** A call of the same reply runs in another tab. */
    | 'elsewhere';
}

/** So many replies in a row may call tools that run by themselves. Then a person is asked again. */
export const MOST_ROUNDS = 10;

/** What the state of the page says of calls. */
export interface CallKnowledge {
  servers: ToolServer[];
  /** Those of this tab. */
  running: RunningCall[];
  /** Those of each other tab, by its id. */
  elsewhere: Record<string, RunningCall[]>;
}

/** The tools that the page can run in a conversation. */
export function toolsOf(
  { settings }: Pick<ShownConversation, 'settings'>,
  servers: ToolServer[],
  chat?: ChatTools,
): RunnableTool[] {
  return runnableTools(servers, chat, namesOfTyped(settings.tools));
}

/** The calls of the last reply that have no result. */
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

/** True if a call may run without being asked for. */
export function runsByItself({ tool, state }: OpenCall, chat: ChatTools = NO_CHAT_TOOLS): boolean {
  if (!tool || state !== 'asking') return false;
  return tool.runner.kind === 'calculator' || chat.allowed.includes(tool.consent);
}

/** The number of replies with calls since a person said something. */
function roundsOf(turns: Turn[]): number {
  const since = turns.slice(turns.findLastIndex(({ role }) => role === 'user') + 1);
  return since.filter((turn) => turn.role === 'assistant' && turn.calls.length > 0).length;
}

export function lastReply(turns: Turn[]): ReplyTurn | undefined {
  const last = turns.findLast(({ role }) => role === 'assistant');
  return last?.role === 'assistant' ? last : undefined;
}

/** Reads the arguments of a call. Throws an `Error` for the model. */
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

/** The id of the last result after this reply, or of the reply itself: the next result comes after that. */
export function lastResultAfter(messages: MessageNodes, replyId: string): string {
  const next = Object.values(messages).find(
    ({ parent, turn, deleted }) => parent === replyId && turn.value.role === 'tool' && !deleted.value,
  );
  return next ? lastResultAfter(messages, next.id) : replyId;
}
