import type { ToolCallObject } from '../../../src/api/chat/tool-call.ts';
import type { ToolTurn } from '../conversation/conversation.ts';
import { grow } from '../conversation/tree/operations.ts';
import { type Context, change, setValues } from '../state/context.ts';
import { newId } from '../state/new-id.ts';
import { findConversation, headOf, messagesOf } from '../state/selectors.ts';
import { lastReply, type OpenCall, openCallsOf, type RunningCall, readArguments, runsByItself } from './calls.ts';
import { NO_CHAT_TOOLS } from './chat-tools.ts';
import type { RunnableTool } from './offer.ts';
import type { ToolResult } from './result.ts';

/** What a person can say to a call of the last reply in the current conversation. */
export interface CallActions {
  /** Lets the call run: this once, or from now on in this conversation without being asked. */
  run(callId: string, consent: 'once' | 'always'): void;
  /** Does not let it run. The model is told. */
  decline(callId: string): void;
}

/** What the replies and the other tabs need of the calls of this one. */
export interface CallKeeping {
  /** Runs what may run by itself after a reply of this tab. */
  begin(conversationId: string): void;
  /** Stops the calls of a conversation. They have no result then. */
  stop(conversationId: string): void;
  /** The same, for those of this tab alone. */
  stopOwn(conversationId: string): void;
  /** Tells the other tabs which calls run here. */
  tellTabs(): void;
}

interface Needs {
  /** Gives the result of a call of this reply to the model. It goes on once all calls have one. */
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
  const openIn = (conversationId: string): OpenCall[] => {
    const state = store.get();
    const conversation = findConversation(state, conversationId);
    return conversation ? openCallsOf(conversation, headOf(state, conversationId)?.tools?.value, state.tools) : [];
  };
  const replyOf = (conversationId: string) => lastReply(findConversation(store.get(), conversationId)?.turns ?? []);

  /** Notes in the reply that its call was begun: after a reload nobody knows what came of it. */
  const note = (conversationId: string, replyId: string, callId: string) => {
    const message = messagesOf(store.get(), conversationId)[replyId];
    const reply = message?.turn.value;
    if (!message || reply?.role !== 'assistant') return;
    const begun = [...new Set([...(reply.begun ?? []), callId])];
    void change(context, grow(message, { ...reply, begun }, context.clock.next()));
  };

  const start = (conversationId: string, { call, tool }: OpenCall) => {
    const reply = replyOf(conversationId);
    const key = `${conversationId} ${call.id}`;
    if (!tool || !reply || running.has(key)) return;
    const stopper = new AbortController();
    running.set(key, { conversationId, callId: call.id, stopper });
    tellTabs();
    const work = async () => {
      // Another tab may have been quicker.
      if (!openIn(conversationId).some((open) => open.call.id === call.id)) return;
      if (tool.runner.kind === 'server') note(conversationId, reply.id, call.id);
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
    const { currentId } = store.get();
    return { id: currentId, open: openIn(currentId).find(({ call }) => call.id === callId) };
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
      const reply = replyOf(id);
      if (!open || !reply) return;
      const text = 'The user did not let this call run.';
      answer(id, reply.id, { role: 'tool', id: newId(), callId, text, outcome: 'declined' });
    },
    begin: (conversationId) => {
      const end = replyOf(conversationId)?.end;
      if (end?.kind !== 'finished' || end.reason === 'length') return;
      const chat = headOf(store.get(), conversationId)?.tools?.value;
      for (const open of openIn(conversationId)) if (runsByItself(open, chat)) start(conversationId, open);
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

/** Never throws: the model is told why there is no result. */
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
 * Runs the work unless another tab has begun it at this very moment. Where the browser has no locks, as over plain http, what
 * the tabs tell one another has to do.
 */
async function alone(name: string, work: () => Promise<void>): Promise<void> {
  if (!navigator.locks) return work();
  await navigator.locks.request(`paddock-call:${name}`, { ifAvailable: true }, async (lock) => {
    if (lock) await work();
  });
}
