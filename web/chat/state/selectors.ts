import { type Draft, NEW_CHAT, NO_DRAFT } from '../composer/draft.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { isErased } from '../conversation/tree/erase.ts';
import type { Head, Messages } from '../conversation/tree/tree.ts';
import { conversationOf } from '../conversation/tree/view.ts';
import { canChat, type ListedModel } from '../models/model.ts';
import { allRunning } from '../tools/tools-state.ts';
import type { Ground, State } from './state.ts';

// What follows from the state. Nothing of it is kept.

/** Returns a conversation without its messages; undefined if there is none with this id, or if it was erased. */
export function headOf({ chats, fresh }: State, id: string): Head | undefined {
  const head = chats.heads[id] ?? (fresh.id === id ? fresh : undefined);
  return head && !isErased(head) ? head : undefined;
}

/** Returns the messages of a conversation; none if they were not read. */
export function messagesOf({ chats }: State, id: string): Messages {
  return chats.messages[id] ?? {};
}

/** Returns the branch of a conversation that is shown; undefined if there is no conversation with this id. */
export function findConversation(state: State, id: string): Conversation | undefined {
  const head = headOf(state, id);
  const growing = new Set([...Object.keys(state.elsewhere), ...Object.keys(state.coming)]);
  return head && conversationOf(head, messagesOf(state, id), growing);
}

/** Returns the id of the last turn that is shown; null if there is none. */
export function lastTurnId(state: State, id: string): string | null {
  return findConversation(state, id)?.turns.at(-1)?.id ?? null;
}

export function currentHead(state: State): Head {
  return headOf(state, state.currentId) ?? state.fresh;
}

export function currentConversation(state: State): Conversation {
  return findConversation(state, state.currentId) ?? conversationOf(state.fresh, {}, new Set());
}

/** Returns the ids of the conversations in which a reply grows or a tool runs, in this tab or another one. */
export function runningIds({ coming, elsewhere, tools }: State): string[] {
  const all = [...Object.values(coming), ...Object.values(elsewhere), ...allRunning(tools)];
  return [...new Set(all.map(({ conversationId }) => conversationId))].toSorted();
}

/** Returns the key of the draft that belongs to the current conversation. */
export function draftKey({ chats, fresh, currentId }: State): string {
  return currentId === fresh.id && !chats.heads[currentId] ? NEW_CHAT : currentId;
}

export function draftOf({ drafts }: State, key: string): Draft {
  return drafts[key] ?? NO_DRAFT;
}

/** Returns where the API runs; null if that is not known yet. */
export function groundOf({ startup }: State): Ground | null {
  return startup.kind === 'ready' ? startup.ground : null;
}

/** Returns the model of a conversation: its own, else the default, the preferred one, or the first chat model. */
export function modelOf(state: State, { model }: Pick<Conversation, 'model'>): ListedModel | undefined {
  const able = (state.models ?? []).filter(canChat);
  const wanted = [model, state.defaultModel, state.preferredModel]
    .map((id) => listedChatModel(state, id))
    .find(Boolean);
  // Base models, which only continue a text, have no chat template.
  return wanted ?? able.find(({ settings }) => settings.prompt_template) ?? able[0];
}

/** Returns the model with this id, if there is one that can chat. */
export function listedChatModel({ models }: State, id: string | null): ListedModel | undefined {
  return models?.find((one) => one.id === id && canChat(one));
}
