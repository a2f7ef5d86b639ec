import { type Conversation, newReply, type ReplyTurn, turnsBefore } from '../conversation/conversation.ts';
import { sayBeside } from '../conversation/tree/compared.ts';
import { answerAgain, say } from '../conversation/tree/operations.ts';
import type { ListedModel } from '../models/model.ts';
import { type Context, change, readMessages, toolsFor } from '../state/context.ts';
import { keepWaiting } from '../state/preferences.ts';
import { findConversation, headOf, lastTurnId, listedChatModel, messagesOf, modelOf } from '../state/selectors.ts';
import { asSent } from '../window/as-sent.ts';
import type { ReplyStreams } from './reply-streams.ts';
import { toChatRequest, toContinuationRequest } from './request.ts';
import { isUnanswered, replyThatGoesOn, type Waiting, type Wanted, withWaiting } from './waiting.ts';

/** Asks models for replies. What no model can answer yet waits. */
export interface ReplyRequests {
  /** Asks for a reply of a conversation, unless one is being written there. */
  ask(conversationId: string, wanted?: Wanted): void;
  /** Asks for the replies that waited until Paddock is ready. */
  resume(): Promise<void>;
}

export function replyRequests(
  context: Context,
  streams: Pick<ReplyStreams, 'begin' | 'isRunning' | 'put'>,
): ReplyRequests {
  const { store, clock } = context;

  /** Has a conversation wait for a reply, or wait no more. */
  const setWaiting = (conversationId: string, wanted: Wanted | null) => {
    const known = store.get().waiting;
    const waiting = withWaiting(known, conversationId, wanted);
    if (waiting === known) return;
    store.dispatch({ kind: 'waiting', waiting });
    keepWaiting(waiting);
  };

  const ask = (conversationId: string, wanted: Wanted = {}) => {
    const state = store.get();
    const conversation = findConversation(state, conversationId);
    if (!conversation || streams.isRunning(conversationId)) return;
    const known = wanted.continued === undefined ? undefined : replyThatGoesOn(conversation, wanted.continued);
    if (wanted.continued !== undefined && !known) return;
    const model = modelOf(state, conversation);
    setWaiting(conversationId, model ? null : wanted);
    if (!model) return;
    if (known) goOnWith(conversation, known, listedChatModel(state, known.model) ?? model);
    else askNew(conversationId, model, wanted.instead);
  };

  /** Asks for a reply after the last turn, or in the place of another one. */
  const askNew = (conversationId: string, model: ListedModel, instead: string | undefined) => {
    const state = store.get();
    const head = headOf(state, conversationId);
    if (!head) return;
    const turn = newReply(model.id);
    const patch =
      instead === undefined
        ? say(head, lastTurnId(state, conversationId), turn, clock.next())
        : answerAgain(head, messagesOf(state, conversationId), instead, turn, clock.next);
    void change(context, patch);
    const before = turnsBefore(findConversation(store.get(), conversationId), turn.id);
    if (!before) return;
    begin(before, turn, model);
    const second = listedChatModel(state, head.second?.value ?? null);
    // What follows the result of a tool belongs to the reply that called it.
    const isAsked = instead === undefined && before.turns.at(-1)?.role === 'user';
    if (isAsked && second && second.id !== model.id) askBeside(turn.id, before, second);
  };

  const begin = (before: Conversation, turn: ReplyTurn, model: ListedModel) =>
    streams.begin(before.id, turn, () => toChatRequest(asSent(before, model), model.id, toolsFor(context, before)));

  /** Asks a second model for its reply to the question of another one. */
  const askBeside = (first: string, before: Conversation, model: ListedModel) => {
    const state = store.get();
    const head = headOf(state, before.id);
    if (!head) return;
    const turn = newReply(model.id);
    void change(context, sayBeside(head, messagesOf(state, before.id), first, turn, clock.next()));
    begin(before, turn, model);
  };

  /** Has a model write the rest of a reply. */
  const goOnWith = (conversation: Conversation, known: ReplyTurn, model: ListedModel) => {
    const before = turnsBefore(conversation, known.id);
    if (!before) return;
    const turn = { ...known, end: null };
    streams.put(before.id, turn);
    streams.begin(before.id, turn, () =>
      toContinuationRequest(asSent(before, model), known, model.id, toolsFor(context, before)),
    );
  };

  const askAgain = async (waiting: Waiting) => {
    const { conversationId: id, ...wanted } = waiting;
    if (headOf(store.get(), id)) await readMessages(context, id);
    const state = store.get();
    // Something else may have become of it meanwhile.
    if (!state.waiting.includes(waiting)) return;
    const head = headOf(state, id);
    // One that is not in the list yet waits on, and so does a deleted one: it may be restored.
    if (head ? head.deleted.value : !state.listed) return;
    const conversation = findConversation(state, id);
    if (conversation && isUnanswered(conversation, messagesOf(state, id), wanted)) ask(id, wanted);
    else setWaiting(id, null);
  };

  return {
    ask,
    resume: async () => {
      await Promise.all(store.get().waiting.map(askAgain));
    },
  };
}
