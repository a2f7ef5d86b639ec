import type { ListedModel } from '../../../src/contract/models/model.ts';
import { type MessageDraft, NEW_CHAT, NO_DRAFT } from '../composer/draft.ts';
import { isGrowing, type ShownConversation } from '../conversation/conversation.ts';
import { isErased } from '../conversation/tree/erase.ts';
import type { Head, MessageNodes } from '../conversation/tree/tree.ts';
import { conversationOf } from '../conversation/tree/view.ts';
import { canChat } from '../models/model.ts';
import { allRunning, runsIn } from '../tools/tools-state.ts';
import type { Ground, State } from './state.ts';

// Pure functions of the state.

const NO_MESSAGES: MessageNodes = {};

/**
 * The last conversation that was made from each head. Making one walks all messages, and views are redrawn if the
 * object is a new one.
 */
const made = new WeakMap<Head, { messages: MessageNodes; growing: string; conversation: ShownConversation }>();

/** Returns a conversation without its messages; undefined if there is none with this id, or if it was erased. */
export function headOf({ chats, fresh }: State, id: string): Head | undefined {
  const head = chats.heads[id] ?? (fresh.id === id ? fresh : undefined);
  return head && !isErased(head) ? head : undefined;
}

/** Returns the messages of a conversation; none if they are not read. */
export function messagesOf({ chats }: State, id: string): MessageNodes {
  return chats.messages[id] ?? NO_MESSAGES;
}

/**
 * Returns the branch of a conversation that is shown; undefined if there is no conversation with this id. Returns the
 * same object until the conversation changes.
 */
export function findConversation(state: State, id: string): ShownConversation | undefined {
  const head = headOf(state, id);
  return head && conversationWith(head, messagesOf(state, id), growingIds(state));
}

function conversationWith(head: Head, messages: MessageNodes, growingIds: string[]): ShownConversation {
  const growing = growingIds.join();
  const known = made.get(head);
  if (known && known.messages === messages && known.growing === growing) return known.conversation;
  const conversation = conversationOf(head, messages, new Set(growingIds));
  made.set(head, { messages, growing, conversation });
  return conversation;
}

function growingIds({ elsewhere, coming }: State): string[] {
  return [...Object.keys(elsewhere), ...Object.keys(coming)];
}

/** Returns the id of the last turn that is shown; null if there is none. */
export function lastTurnId(state: State, id: string): string | null {
  return findConversation(state, id)?.turns.at(-1)?.id ?? null;
}

/** Returns the head of the current conversation. If it does not exist, the new conversation counts as the current one. */
export function currentHead(state: State): Head {
  return headOf(state, state.currentId) ?? state.fresh;
}

/** Returns the shown branch of the current conversation. */
export function currentConversation(state: State): ShownConversation {
  return findConversation(state, state.currentId) ?? conversationWith(state.fresh, NO_MESSAGES, []);
}

/** Returns the model that answers in the current conversation. */
export function currentModel(state: State): ListedModel | undefined {
  return modelOf(state, currentConversation(state));
}

/** Returns a model that can write down recordings: the model of the current conversation, else the first that hears. */
export function hearingModel(state: State): ListedModel | undefined {
  const hears = (model: ListedModel | undefined) => model?.capabilities.audio === true && canChat(model);
  const current = currentModel(state);
  return hears(current) ? current : state.models?.find(hears);
}

/** True if a reply grows or a tool runs in the current conversation, in this tab or another one. */
export function isReplying(state: State): boolean {
  const { id, turns, compared = [] } = currentConversation(state);
  return [...turns, ...compared].some(isGrowing) || runsIn(state.tools, id);
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

export function currentDraft(state: State): MessageDraft {
  return draftOf(state, draftKey(state));
}

export function draftOf({ drafts }: State, key: string): MessageDraft {
  return drafts[key] ?? NO_DRAFT;
}

/** Returns where the API runs; null if that is not known yet. */
export function groundOf({ startup }: State): Ground | null {
  return startup.kind === 'ready' ? startup.ground : null;
}

/**
 * Returns the model of a conversation: its own, otherwise the default, the model that was chosen last, or the first
 * chat model.
 */
export function modelOf(state: State, { model }: Pick<ShownConversation, 'model'>): ListedModel | undefined {
  const able = (state.models ?? []).filter(canChat);
  const wanted = [model, state.defaultModel, state.preferredModel]
    .map((id) => listedChatModel(state, id))
    .find(Boolean);
  // Base models have no chat template, so models with one come first.
  return wanted ?? able.find(({ settings }) => settings.prompt_template) ?? able[0];
}

/** Returns the model with this id; undefined if it is not listed or can't chat. */
export function listedChatModel({ models }: State, id: string | null): ListedModel | undefined {
  return models?.find((one) => one.id === id && canChat(one));
}
