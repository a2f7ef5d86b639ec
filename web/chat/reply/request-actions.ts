import type { ListedModel } from '../../../src/contract/models/model.ts';
import { newReply, type ReplyTurn, type ShownConversation, turnsBefore } from '../conversation/conversation.ts';
import { sayBeside } from '../conversation/tree/compared.ts';
import { addTurn, answerAgain } from '../conversation/tree/operations.ts';
import { type Context, change, readMessages, toolsFor } from '../state/context-actions.ts';
import { keepWaiting } from '../state/preferences.ts';
import { findConversation, headOf, lastTurnId, listedChatModel, messagesOf, modelOf } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import { asSent } from '../window/as-sent.ts';
import { toChatRequest, toContinuationRequest } from './request.ts';
import type { ReplyStreams } from './stream-actions.ts';
import { isUnanswered, replyThatGoesOn, type Waiting, type WantedReply, withWaiting } from './waiting.ts';

/** Asks models for replies. A request waits while there is no model that can answer. */
export interface ReplyRequests {
  /** Asks for a reply in a conversation, unless a reply grows there. */
  ask(conversationId: string, wanted?: WantedReply): void;
  /** Asks for the replies that wait until Paddock is ready. */
  resume(): Promise<void>;
}

export function replyRequests(
  context: Context,
  streams: Pick<ReplyStreams, 'begin' | 'isRunning' | 'put'>,
): ReplyRequests {
  const { store, clock } = context;

  /** Stores the reply that a conversation waits for; null if it waits for none. */
  const setWaiting = (conversationId: string, wanted: WantedReply | null) => {
    const known = store.get().waiting;
    const waiting = withWaiting(known, conversationId, wanted);
    if (waiting === known) return;
    store.dispatch({ kind: 'waiting', waiting });
    keepWaiting(waiting);
  };

  const ask = (conversationId: string, wanted: WantedReply = {}) => {
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

  /** Asks for a reply after the last turn, or in the place of another reply. */
  const askNew = (conversationId: string, model: ListedModel, instead: string | undefined) => {
    const state = store.get();
    const head = headOf(state, conversationId);
    if (!head) return;
    const turn = newReply(model.id);
    const patch =
      instead === undefined
        ? addTurn(head, lastTurnId(state, conversationId), turn, clock.next())
        : answerAgain(head, messagesOf(state, conversationId), instead, turn, clock.next);
    void change(context, patch);
    const before = turnsBefore(findConversation(store.get(), conversationId), turn.id);
    if (!before) return;
    begin(before, turn, model);
    const second = listedChatModel(state, head.second?.value ?? null);
    // A second model answers questions only: a turn after the result of a tool continues the reply that called the
    // tool.
    const isAsked = instead === undefined && before.turns.at(-1)?.role === 'user';
    if (isAsked && second && second.id !== model.id) askBeside(turn.id, before, second);
  };

  const begin = (before: ShownConversation, turn: ReplyTurn, model: ListedModel) =>
    streams.begin(before.id, turn, () => toChatRequest(asSent(before, model), model.id, toolsFor(context, before)));

  /** Asks a second model to answer the question that the reply `first` answers. */
  const askBeside = (first: string, before: ShownConversation, model: ListedModel) => {
    const state = store.get();
    const head = headOf(state, before.id);
    if (!head) return;
    const turn = newReply(model.id);
    void change(context, sayBeside(head, messagesOf(state, before.id), first, turn, clock.next()));
    begin(before, turn, model);
  };

  /** Has a model continue a reply. */
  const goOnWith = (conversation: ShownConversation, known: ReplyTurn, model: ListedModel) => {
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
    const next = nextFor(store.get(), waiting);
    if (next === 'ask') ask(id, wanted);
    if (next === 'drop') setWaiting(id, null);
  };

  return {
    ask,
    resume: async () => {
      await Promise.all(store.get().waiting.map(askAgain));
    },
  };
}

/** Returns what to do with a waiting reply whose conversation is read: ask for it, let it wait on, or drop it. */
function nextFor(state: State, waiting: Waiting): 'ask' | 'wait' | 'drop' {
  const { conversationId: id, ...wanted } = waiting;
  // The request may have been sent or dropped while the conversation was read.
  if (!state.waiting.includes(waiting)) return 'wait';
  const head = headOf(state, id);
  // The conversation may come into the list later, and a deleted one may be restored.
  if (head ? head.deleted.value : !state.listed) return 'wait';
  const conversation = findConversation(state, id);
  return conversation && isUnanswered(conversation, messagesOf(state, id), wanted) ? 'ask' : 'drop';
}
