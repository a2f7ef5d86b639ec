import { type Attachment, sorted } from '../attachments/attachments.ts';
import type { SentDraft } from '../composer/draft.ts';
import { openCalls, type ToolTurn, type Turn, type UserTurn } from '../conversation/conversation.ts';
import { say, sayInstead } from '../conversation/tree/operations.ts';
import type { ModelActions } from '../models/actions.ts';
import { showInAddress } from '../state/address.ts';
import { type Context, change } from '../state/context.ts';
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
import type { CallKeeping } from '../tools/call-actions.ts';
import { lastReply, lastResultAfter } from '../tools/calls.ts';
import { replyRequests } from './reply-requests.ts';
import { replyStreams } from './reply-streams.ts';

export interface ReplyActions {
  /**
   * Says something in a conversation, by default the current one. If Paddock is not ready yet, the reply is asked for when
   * it is. `draft` is where it was written.
   */
  send(text: string, attachments: Attachment[], from?: { conversationId?: string; draft?: SentDraft }): void;
  /** Asks for a reply after the last turn of a conversation. */
  ask(conversationId: string): void;
  /** Asks for this reply again. The old one stays as another version. */
  retry(replyId: string): void;
  /** Has the model go on where the words of this reply end. */
  goOn(replyId: string): void;
  /** Says this in the place of a turn and asks for a reply. The old turn and what came after it stay as another version. */
  edit(turnId: string, text: string, attachments: Attachment[]): void;
  /** Sends the result of a tool call. Once all calls have a result, the model continues. */
  answerCall(callId: string, text: string): void;
  /** Stops the reply of a conversation and its tools, by default of the current one. The text so far stays. */
  stop(conversationId?: string): void;
  /** Asks for the replies that waited until Paddock is ready. */
  resume(): Promise<void>;
}

/** What other tabs ask of the replies of this one. */
export interface ReplyKeeping {
  /** Stores the growing replies as they are, and tells the other tabs of them. */
  save(): void;
  /** Stops the reply of a conversation, and its calls, if this tab asked for them. */
  stopOwn(conversationId: string): void;
  /** Gives the result of a call of this reply to the model. It goes on once all calls have one. */
  answer(conversationId: string, replyId: string, turn: ToolTurn): void;
}

export function replyActions(
  context: Context,
  models: Pick<ModelActions, 'refreshHealth'>,
  calls: Pick<CallKeeping, 'begin' | 'stop' | 'stopOwn'>,
): ReplyActions & ReplyKeeping {
  const { store, channel, clock, reads } = context;
  const streams = replyStreams(context, { refreshHealth: models.refreshHealth, onEnd: calls.begin });
  const { ask, resume } = replyRequests(context, streams);

  /**
   * Continues a conversation with this turn, in the place of another one if `instead` is given. If it is not there any
   * more, a new one begins.
   */
  const goOn = (turn: Turn, { id, instead, draft }: { id: string; instead?: string; draft?: SentDraft }): void => {
    const state = store.get();
    const head = headOf(state, id) ?? state.fresh;
    // The other calls go on when one has its result.
    if (turn.role === 'tool') stopReply(head.id);
    else stop(head.id);
    if (state.currentId === id) store.dispatch({ kind: 'open', id: head.id });
    // Of one that begins here, nothing is stored yet.
    if (!state.chats.heads[head.id]) reads.set(head.id, Promise.resolve());
    const stored = change(
      context,
      instead === undefined
        ? say(head, lastTurnId(store.get(), head.id), turn, clock.next())
        : sayInstead(head, messagesOf(store.get(), head.id), instead, turn, clock.next()),
      draft,
    );
    if (store.get().currentId === head.id) showInAddress(head.id);
    const said = findConversation(store.get(), head.id);
    if (!said || openCalls(said).length > 0) return;
    // The page says of what waits that it is kept, so it has to be.
    if (modelOf(state, { model: head.model.value })) ask(head.id);
    else void stored.then(() => ask(head.id));
  };

  const stop = (conversationId = store.get().currentId) => {
    stopReply(conversationId);
    calls.stop(conversationId);
  };
  const stopReply = (conversationId: string) => {
    streams.stop(conversationId);
    const state = store.get();
    const others = Object.values(messagesOf(state, conversationId)).filter(
      ({ id }) => state.elsewhere[id] !== undefined,
    );
    if (others.length === 0) return;
    channel.post({ kind: 'stop', conversationId });
    // The other tab may have crashed. If it has not, what it stores last is later.
    for (const { turn } of others) {
      if (turn.value.role === 'assistant') streams.put(conversationId, { ...turn.value, end: { kind: 'stopped' } });
    }
    store.dispatch({ kind: 'ended elsewhere', replyIds: others.map(({ id }) => id) });
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
      const head = headOf(state, conversationId);
      if (!conversation || !head) return;
      const isOpen = lastReply(conversation.turns)?.id === replyId;
      if (isOpen && openCalls(conversation).some(({ id }) => id === turn.callId)) {
        goOn(turn, { id: conversationId });
        return;
      }
      // The conversation has gone on elsewhere, or shows another version: the result stays where its call is.
      const last = lastResultAfter(messagesOf(state, conversationId), replyId);
      const { messages } = say(head, last, turn, clock.next());
      void change(context, { heads: [], messages });
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
