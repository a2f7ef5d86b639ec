import { ApiFailure } from '../api/client.ts';
import { type Attachment, sorted } from '../data/attachments.ts';
import {
  newReply,
  openCalls,
  type ReplyEnd,
  type ReplyTurn,
  type Turn,
  type UserTurn,
  upTo,
  withTurns,
} from '../data/conversation.ts';
import { type ChatChunk, coming, statsOf, withChunk } from '../data/reply.ts';
import { toChatRequest } from '../data/request.ts';
import { spokenReply } from '../data/spoken.ts';
import { currentConversation, modelOf } from '../data/state.ts';
import { showInAddress } from './address.ts';
import { type Context, messageOf } from './context.ts';
import type { ModelActions } from './models.ts';

/** The interval at which a growing reply is drawn, in ms. */
const DRAW_EVERY_MS = 40;
/** The interval at which the page asks why a reply has not begun, in ms. */
const ASK_EVERY_MS = 1000;

export interface ReplyActions {
  send(text: string, attachments: Attachment[]): void;
  /** Asks for this reply again. The turns after it are deleted. */
  retry(replyId: string): void;
  /** Replaces the text of this turn and asks for a reply. The turns after it are deleted. */
  edit(turnId: string, text: string): void;
  /** Sends the result of a tool call. Once all calls have a result, the model continues. */
  answerCall(callId: string, text: string): void;
  /** Stops the reply of a conversation, by default the current one. The text so far stays. */
  stop(conversationId?: string): void;
}

export function replyActions(context: Context, models: Pick<ModelActions, 'refreshHealth'>): ReplyActions {
  const { store } = context;
  const running = new Map<string, AbortController>();

  const reply = (conversationId: string) => {
    const conversation = store.get().conversations[conversationId];
    const model = conversation && modelOf(store.get(), conversation);
    if (!conversation || !model || running.has(conversationId)) return;
    const stopper = new AbortController();
    running.set(conversationId, stopper);
    const turn = newReply(model.id);
    store.dispatch({ kind: 'coming', conversationId, coming: coming(turn) });
    store.dispatch({ kind: 'conversation', conversation: withTurns(conversation, [turn], Date.now()) });
    const asking = setInterval(() => {
      if (store.get().coming[conversationId]?.prompt === null) void models.refreshHealth();
    }, ASK_EVERY_MS);

    const request = () => toChatRequest(conversation, model.id);
    void follow(context, conversationId, turn, request, stopper.signal).then((ended) => {
      clearInterval(asking);
      if (running.get(conversationId) === stopper) running.delete(conversationId);
      const newest = store.get().coming[conversationId]?.reply.id === ended.id;
      store.dispatch({ kind: 'ended', conversationId, reply: ended });
      if (newest && conversationId === store.get().currentId) {
        store.dispatch({ kind: 'announce', text: spokenReply(ended) });
      }
      void models.refreshHealth();
    });
  };

  /**
   * Continues the current conversation with these turns. If `beforeTurn` is given, that turn and all after it are
   * deleted first.
   */
  const goOn = (turns: Turn[], beforeTurn?: string) => {
    const current = currentConversation(store.get());
    stop(current.id);
    const kept = beforeTurn === undefined ? current : upTo(current, beforeTurn);
    const conversation = withTurns(kept, turns, Date.now());
    store.dispatch({ kind: 'conversation', conversation });
    showInAddress(conversation.id);
    if (openCalls(conversation).length === 0) reply(conversation.id);
  };

  const stop = (conversationId = store.get().currentId) => {
    running.get(conversationId)?.abort();
    running.delete(conversationId);
  };

  return {
    send: (text, attachments) => goOn([{ role: 'user', id: crypto.randomUUID(), text, ...sorted(attachments) }]),
    retry: (replyId) => goOn([], replyId),
    edit: (turnId, text) => {
      const turn = currentConversation(store.get()).turns.find(({ id }) => id === turnId);
      if (turn?.role !== 'user') return;
      const said: UserTurn = { ...turn, id: crypto.randomUUID(), text };
      goOn([said], turnId);
    },
    answerCall: (callId, text) => goOn([{ role: 'tool', id: crypto.randomUUID(), callId, text }]),
    stop,
  };
}

/** Shows the reply while it grows. Returns the ended reply, and never throws. */
async function follow(
  { store, client }: Context,
  conversationId: string,
  turn: ReplyTurn,
  request: () => object,
  signal: AbortSignal,
): Promise<ReplyTurn> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  let state = coming(turn);
  let drawing: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    drawing = undefined;
    if (!signal.aborted) store.dispatch({ kind: 'coming', conversationId, coming: state });
  };
  let end: ReplyEnd;
  try {
    for await (const chunk of client.events('/v1/chat/completions', request(), signal)) {
      state = withChunk(state, chunk as ChatChunk, elapsed());
      drawing ??= setTimeout(draw, DRAW_EVERY_MS);
    }
    end = { kind: 'finished', reason: state.finish ?? 'stop' };
  } catch (error) {
    const code = error instanceof ApiFailure ? error.code : null;
    end = signal.aborted ? { kind: 'stopped' } : { kind: 'failed', message: messageOf(error), code };
  }
  clearTimeout(drawing);
  return { ...state.reply, end, stats: state.pieces > 0 ? statsOf(state, elapsed()) : null };
}
