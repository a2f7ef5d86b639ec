import { type Attachment, sorted } from '../attachments/attachments.ts';
import type { SentDraft } from '../composer/draft.ts';
import { openCalls, type ToolTurn, type Turn, type UserTurn } from '../conversation/conversation.ts';
import { addTurn, sayInstead } from '../conversation/tree/operations.ts';
import type { Stamp } from '../conversation/tree/stamp.ts';
import type { Head, Patch } from '../conversation/tree/tree.ts';
import type { ModelActions } from '../models/actions.ts';
import { showInAddress } from '../state/address.ts';
import { type Context, change } from '../state/context-actions.ts';
import { newId } from '../state/new-id.ts';
import {
  currentConversation,
  currentHead,
  findConversation,
  headOf,
  lastTurnId,
  messagesOf,
  modelOf,
} from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import type { CallKeeping } from '../tools/call-actions.ts';
import { lastReply, lastResultAfter } from '../tools/calls.ts';
import { replyRequests } from './request-actions.ts';
import { type ReplyStreams, replyStreams } from './stream-actions.ts';

export interface ReplyActions {
  /**
   * Sends a message in a conversation, by default in the current one. If Paddock is not ready yet, the reply is
   * requested once it is. `draft` is the draft that becomes this message.
   */
  send(text: string, attachments: Attachment[], from?: { conversationId?: string; draft?: SentDraft }): void;
  /** Asks for a reply after the last turn of a conversation. */
  ask(conversationId: string): void;
  /** Asks for this reply again. The old reply stays as another version. */
  retry(replyId: string): void;
  /** Has the model continue this reply. */
  goOn(replyId: string): void;
  /** Replaces a message and asks for a reply. The old message and the turns after it stay as another version. */
  edit(turnId: string, text: string, attachments: Attachment[]): void;
  /** Sends the result of a tool call. Once all calls have a result, the model continues. */
  answerCall(callId: string, text: string): void;
  /** Stops the replies and the tool calls of a conversation, by default of the current one. The text so far stays. */
  stop(conversationId?: string): void;
  /** Asks for the replies that wait until Paddock is ready. */
  resume(): Promise<void>;
}

/** What the tool calls and the other tabs need from the replies of this tab. */
export interface ReplyKeeping {
  /** Stores the growing replies as they are now, and sends them to the other tabs. */
  save(): void;
  /** Stops the replies and the tool calls of a conversation that run in this tab. */
  stopOwn(conversationId: string): void;
  /** Gives the model the result of a call of this reply. The model continues once all calls have a result. */
  answer(conversationId: string, replyId: string, turn: ToolTurn): void;
}

export function replyActions(
  context: Context,
  models: Pick<ModelActions, 'refreshHealth'>,
  calls: Pick<CallKeeping, 'begin' | 'stop' | 'stopOwn'>,
): ReplyActions & ReplyKeeping {
  const { store, clock, reads } = context;
  const streams = replyStreams(context, { refreshHealth: models.refreshHealth, onEnd: calls.begin });
  const { ask, resume } = replyRequests(context, streams);

  /**
   * Adds a turn to a conversation, in the place of another turn if `instead` is given, and asks for a reply. If the
   * conversation does not exist any more, a new one begins.
   */
  const goOn = (turn: Turn, { id, instead, draft }: { id: string; instead?: string; draft?: SentDraft }): void => {
    const state = store.get();
    const head = headOf(state, id) ?? state.fresh;
    // The result of one call does not stop the other calls of the reply.
    if (turn.role === 'tool') stopReplies(context, streams, head.id);
    else stop(head.id);
    if (state.currentId === id) store.dispatch({ kind: 'open', id: head.id });
    // A conversation that begins here has no stored messages to read.
    if (!state.chats.heads[head.id]) reads.set(head.id, Promise.resolve());
    const stored = change(context, patchFor(store.get(), head, { turn, instead }, clock.next()), draft);
    if (store.get().currentId === head.id) showInAddress(head.id);
    const said = findConversation(store.get(), head.id);
    if (!said || openCalls(said).length > 0) return;
    // The page says that a waiting message is kept, so the message is stored before it waits.
    if (modelOf(state, { model: head.model.value })) ask(head.id);
    else void stored.then(() => ask(head.id));
  };

  const stop = (conversationId = store.get().currentId) => {
    stopReplies(context, streams, conversationId);
    calls.stop(conversationId);
  };

  return {
    send: (text, attachments, { conversationId: id = store.get().currentId, draft } = {}) =>
      goOn({ role: 'user', id: newId(), text, ...sorted(attachments) }, { id, ...(draft && { draft }) }),
    ask,
    retry: (replyId) => {
      const { id } = currentHead(store.get());
      stop(id);
      ask(id, { instead: replyId });
    },
    goOn: (replyId) => {
      const { id } = currentHead(store.get());
      stop(id);
      ask(id, { continued: replyId });
    },
    edit: (turnId, text, attachments) => {
      const turn = currentConversation(store.get()).turns.find(({ id }) => id === turnId);
      if (turn?.role !== 'user') return;
      const said: UserTurn = { ...turn, id: newId(), text, ...sorted(attachments) };
      goOn(said, { id: store.get().currentId, instead: turnId });
    },
    answerCall: (callId, text) => goOn({ role: 'tool', id: newId(), callId, text }, { id: store.get().currentId }),
    answer: (conversationId, replyId, turn) => {
      const state = store.get();
      const conversation = findConversation(state, conversationId);
      if (!conversation) return;
      const isOpen = lastReply(conversation.turns)?.id === replyId;
      if (isOpen && openCalls(conversation).some(({ id }) => id === turn.callId)) {
        goOn(turn, { id: conversationId });
        return;
      }
      const patch = lateResult(state, conversationId, { replyId, turn }, clock.next());
      if (patch) void change(context, patch);
    },
    stop,
    stopOwn: (conversationId) => {
      streams.stop(conversationId);
      calls.stopOwn(conversationId);
    },
    resume,
    save: streams.save,
  };
}

/** Stops the replies of a conversation, in this tab and in other tabs. */
function stopReplies({ store, channel }: Context, streams: ReplyStreams, conversationId: string): void {
  streams.stop(conversationId);
  const state = store.get();
  const elsewhere = Object.values(messagesOf(state, conversationId)).filter(({ id }) => state.elsewhere[id]);
  if (elsewhere.length === 0) return;
  channel.post({ kind: 'stop', conversationId });
  // The other tab may have crashed, so this tab stores the end. A tab that still runs stores its end later, and that
  // one counts.
  for (const { turn } of elsewhere) {
    if (turn.value.role === 'assistant') streams.put(conversationId, { ...turn.value, end: { kind: 'stopped' } });
  }
  store.dispatch({ kind: 'ended elsewhere', replyIds: elsewhere.map(({ id }) => id) });
}

/** Returns the patch that adds a turn after the last one, or in the place of `instead`. */
function patchFor(
  state: State,
  head: Head,
  { turn, instead }: { turn: Turn; instead: string | undefined },
  at: Stamp,
): Patch {
  return instead === undefined
    ? addTurn(head, lastTurnId(state, head.id), turn, at)
    : sayInstead(head, messagesOf(state, head.id), instead, turn, at);
}

/**
 * Returns the patch that stores the result of a call in a branch that is no longer the end of the conversation. The
 * shown branch stays the same. Returns null if the conversation does not exist any more.
 */
function lateResult(
  state: State,
  conversationId: string,
  { replyId, turn }: { replyId: string; turn: ToolTurn },
  at: Stamp,
): Patch | null {
  const head = headOf(state, conversationId);
  if (!head) return null;
  const last = lastResultAfter(messagesOf(state, conversationId), replyId);
  return { heads: [], messages: addTurn(head, last, turn, at).messages };
}
