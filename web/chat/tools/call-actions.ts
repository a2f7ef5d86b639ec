import type { ToolCallObject } from '../../../src/api/chat/tool-call.ts';
import type { ToolResult } from '../../../src/utils/mcp-result.ts';
import type { ReplyTurn, ToolTurn } from '../conversation/conversation.ts';
import { grow } from '../conversation/tree/operations.ts';
import { type Context, change, setValues } from '../state/context-actions.ts';
import { newId } from '../state/new-id.ts';
import { findConversation, headOf, messagesOf } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import { lastReply, type OpenCall, openCallsOf, type RunningCall, readArguments, runsByItself } from './calls.ts';
import { NO_CHAT_TOOLS } from './chat-tools.ts';
import type { RunnableTool } from './offer.ts';

/** The answers of a person to a call of the last reply in the current conversation. */
export interface CallActions {
  /** Runs the call. With `always`, later calls of the tool in this conversation run without asking. */
  run(callId: string, consent: 'once' | 'always'): void;
  /** Refuses the call. The model gets the refusal as the result. */
  decline(callId: string): void;
}

/** What the replies and the other tabs need from the tool calls of this tab. */
export interface CallKeeping {
  /** Runs the calls of the last reply that need no consent. */
  begin(conversationId: string): void;
  /** Stops the calls of a conversation in all tabs. A stopped call has no result. */
  stop(conversationId: string): void;
  /** Stops the calls of a conversation that run in this tab. */
  stopOwn(conversationId: string): void;
  /** Sends the other tabs the list of the calls that run in this tab. */
  tellTabs(): void;
}

interface Needs {
  /** Gives the model the result of a call of this reply. The model continues once all calls have a result. */
  answer(conversationId: string, replyId: string, turn: ToolTurn): void;
  runTool(tool: RunnableTool, given: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
}

export function callActions(context: Context, { answer, runTool }: Needs): CallActions & CallKeeping {
  const { store, channel } = context;
  const running = new Map<string, RunningCall & { stopper: AbortController }>();

  const tellTabs = () => {
    const calls = [...running.values()].map(({ conversationId, callId }) => ({ conversationId, callId }));
    store.dispatch({ kind: 'tools', change: { kind: 'running calls', calls } });
    channel.post({ kind: 'calls', calls });
  };

  const start = (conversationId: string, { call, tool }: OpenCall) => {
    const reply = lastReplyIn(store.get(), conversationId);
    const key = `${conversationId} ${call.id}`;
    if (!tool || !reply || running.has(key)) return;
    const stopper = new AbortController();
    running.set(key, { conversationId, callId: call.id, stopper });
    tellTabs();
    const work = async () => {
      // Another tab may have finished the call before this tab got the lock.
      if (!openCallsIn(store.get(), conversationId).some((open) => open.call.id === call.id)) return;
      if (tool.runner.kind === 'server') noteBegun(context, conversationId, reply.id, call.id);
      const { text, failed } = await resultOf(call, (given) => runTool(tool, given, stopper.signal));
      if (stopper.signal.aborted) return;
      running.delete(key);
      const turn: ToolTurn = { role: 'tool', id: newId(), callId: call.id, text };
      answer(conversationId, reply.id, { ...turn, ...(failed && { outcome: 'failed' }) });
    };
    void alone(key, work).finally(() => {
      if (running.get(key)?.stopper === stopper) running.delete(key);
      tellTabs();
    });
  };

  const stopOwn = (conversationId: string) => {
    for (const [key, one] of running) {
      if (one.conversationId !== conversationId) continue;
      one.stopper.abort();
      running.delete(key);
    }
    tellTabs();
  };
  const findOpen = (callId: string) => {
    const state = store.get();
    return { id: state.currentId, open: openCallsIn(state, state.currentId).find(({ call }) => call.id === callId) };
  };

  return {
    run: (callId, consent) => {
      const { id, open } = findOpen(callId);
      if (!open?.tool || open.state === 'running' || open.state === 'elsewhere') return;
      if (consent === 'always') {
        const tools = headOf(store.get(), id)?.tools?.value ?? NO_CHAT_TOOLS;
        setValues(context, id, { tools: { ...tools, allowed: [...tools.allowed, open.tool.consent] } });
      }
      start(id, open);
    },
    decline: (callId) => {
      const { id, open } = findOpen(callId);
      const reply = lastReplyIn(store.get(), id);
      if (!open || !reply) return;
      const text = 'The user did not let this call run.';
      answer(id, reply.id, { role: 'tool', id: newId(), callId, text, outcome: 'declined' });
    },
    begin: (conversationId) => {
      const end = lastReplyIn(store.get(), conversationId)?.end;
      if (end?.kind !== 'finished' || end.reason === 'length') return;
      const chat = headOf(store.get(), conversationId)?.tools?.value;
      for (const open of openCallsIn(store.get(), conversationId))
        if (runsByItself(open, chat)) start(conversationId, open);
    },
    stop: (conversationId) => {
      stopOwn(conversationId);
      const others = Object.values(store.get().tools.elsewhere).flat();
      if (others.some((one) => one.conversationId === conversationId)) channel.post({ kind: 'stop', conversationId });
    },
    stopOwn,
    tellTabs,
  };
}

function openCallsIn(state: State, conversationId: string): OpenCall[] {
  const conversation = findConversation(state, conversationId);
  return conversation ? openCallsOf(conversation, headOf(state, conversationId)?.tools?.value, state.tools) : [];
}

function lastReplyIn(state: State, conversationId: string): ReplyTurn | undefined {
  return lastReply(findConversation(state, conversationId)?.turns ?? []);
}

/** Stores in the reply that its call has begun. After a reload the call counts as begun, and its result as unknown. */
function noteBegun(context: Context, conversationId: string, replyId: string, callId: string): void {
  const message = messagesOf(context.store.get(), conversationId)[replyId];
  const reply = message?.turn.value;
  if (!message || reply?.role !== 'assistant') return;
  const begun = [...new Set([...(reply.begun ?? []), callId])];
  void change(context, grow(message, { ...reply, begun }, context.clock.next()));
}

/** Returns the result of a call. Never throws: an error becomes a failed result, which the model reads. */
async function resultOf(
  call: ToolCallObject,
  run: (given: Record<string, unknown>) => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await run(readArguments(call));
  } catch (error) {
    return { text: `Error: ${(error as Error).message}`, failed: true };
  }
}

/**
 * Runs the work unless another tab holds the lock with this name. Pages over plain http have no Web Locks: there, only
 * the messages between the tabs prevent that two tabs run the work.
 */
async function alone(name: string, work: () => Promise<void>): Promise<void> {
  if (!navigator.locks) return work();
  await navigator.locks.request(`paddock-call:${name}`, { ifAvailable: true }, async (lock) => {
    if (lock) await work();
  });
}
