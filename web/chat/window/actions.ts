import { ApiFailure } from '../api/client.ts';
import type { Conversation, Turn } from '../conversation/conversation.ts';
import { fromList, setCut, withValues } from '../conversation/tree/operations.ts';
import type { Head } from '../conversation/tree/tree.ts';
import { t } from '../messages/language.ts';
import { Problem } from '../messages/problem.ts';
import type { ListedModel } from '../models/model.ts';
import type { ChatChunk } from '../reply/reply.ts';
import { toChatRequest } from '../reply/request.ts';
import { folderOf } from '../sidebar/folders.ts';
import { type Context, change, messageOf, tell, toolsFor } from '../state/context.ts';
import { newId } from '../state/new-id.ts';
import { findConversation, headOf, messagesOf, modelOf } from '../state/selectors.ts';
import { asSent } from './as-sent.ts';
import { toCountRequest } from './count-request.ts';
import type { Cut } from './cut.ts';
import { mostTokens, reserveOf, WINDOW_FULL, windowOf } from './fill.ts';
import { toSummaryRequest } from './summary.ts';
import { whereToCut } from './where-to-cut.ts';
import { wordsOf } from './words.ts';

export interface WindowActions {
  /** Counts the tokens of a text. Null if the server does not tell. */
  countText(text: string, model: ListedModel, signal: AbortSignal): Promise<number | null>;
  /** Counts the prompt that a conversation would be now. Null if the server does not tell. */
  countConversation(conversation: Conversation, model: ListedModel, signal: AbortSignal): Promise<number | null>;
  /** Leaves out the oldest turns, so that about half of the window is free. False if there is none to leave out. */
  leaveOut(id: string): Promise<boolean>;
  /** Has the model summarise the oldest turns, and gives it the summary in their place. False if nothing came of it. */
  summarise(id: string): Promise<boolean>;
  stopSummary(id: string): void;
  /** Sets what the model gets in place of the turns that are left out. */
  editSummary(id: string, summary: string): void;
  /** Gives the model all turns again. */
  bringBack(id: string): void;
  /** Opens a new conversation with the last turns of this one. Null if all turns would be in it; otherwise its id. */
  branchOff(id: string): Promise<string | null>;
}

/** What the next requests are to leave out. */
interface Plan {
  conversation: Conversation;
  model: ListedModel;
  /** In tokens. */
  window: number;
  /** How many turns, counted from the first. */
  turns: number;
}

export function windowActions(context: Context, open: (id: string) => Promise<void>): WindowActions {
  const { store, client, clock } = context;
  const summaries = new Map<string, AbortController>();

  const countText: WindowActions['countText'] = async (content, { id }, signal) => {
    try {
      const { tokens } = (await client.post('/v1/tokenize', { model: id, content }, signal)) as { tokens: number[] };
      return tokens.length;
    } catch {
      return null;
    }
  };
  const countConversation: WindowActions['countConversation'] = async (conversation, model, signal) => {
    try {
      const tools = toolsFor(context, conversation);
      const body = toCountRequest(toChatRequest(asSent(conversation, model), model.id, tools));
      const answer = await client.post('/v1/responses/input_tokens', body, signal);
      return (answer as { input_tokens: number }).input_tokens;
    } catch {
      return null;
    }
  };

  const plan = async (id: string): Promise<Plan | null> => {
    const state = store.get();
    const conversation = findConversation(state, id);
    const model = conversation && modelOf(state, conversation);
    if (!conversation || !model) return null;
    const counted = await countConversation(conversation, model, new AbortController().signal);
    const total = counted ?? mostTokens(asSent(conversation, model).turns.map(wordsOf).join(''));
    const window = windowOf(state.health, model);
    const turns = whereToCut(conversation, total, (window - reserveOf(conversation.settings, window)) / 2);
    if (turns !== null) return { conversation, model, window, turns };
    tell(context, t('window.nothingToLeave'), 'bad');
    return null;
  };

  const cutAt = (id: string, messageId: string | undefined, cut: Cut | null) => {
    const message = messagesOf(store.get(), id)[messageId ?? ''];
    if (message) void change(context, setCut(message, cut, clock.next()));
  };

  const showSummary = (conversationId: string, text: string | null) =>
    store.dispatch({ kind: 'summarising', conversationId, text });

  const summariseAs = async ({ conversation, model, window, turns }: Plan, signal: AbortSignal): Promise<string> => {
    const { leftOut } = conversation;
    const ask = async (part: Turn[], before: string | null): Promise<string> => {
      let text = '';
      const body = toSummaryRequest(model.id, part, before, window);
      for await (const chunk of client.events('/v1/chat/completions', body, signal)) {
        text += (chunk as ChatChunk).choices?.[0]?.delta.content ?? '';
        showSummary(conversation.id, text);
      }
      if (text.trim() === '') throw new Problem('window.wroteNone', { model: model.name });
      return text.trim();
    };
    // What does not fit the window at once is summarised half by half.
    const write = async (part: Turn[], before: string | null): Promise<string> => {
      try {
        return await ask(part, before);
      } catch (error) {
        if (!isWindowFull(error) || part.length < 2) throw error;
        const half = Math.ceil(part.length / 2);
        return write(part.slice(half), await write(part.slice(0, half), before));
      }
    };
    return write(conversation.turns.slice(leftOut?.turns ?? 0, turns), leftOut?.summary ?? null);
  };

  return {
    countText,
    countConversation,
    leaveOut: async (id) => {
      const found = await plan(id);
      if (!found) return false;
      const { conversation, turns } = found;
      cutAt(id, conversation.turns[turns - 1]?.id, { summary: conversation.leftOut?.summary ?? null });
      return true;
    },
    summarise: async (id) => {
      if (summaries.has(id)) return false;
      const stopper = new AbortController();
      summaries.set(id, stopper);
      showSummary(id, '');
      try {
        const found = await plan(id);
        if (!found) return false;
        const summary = await summariseAs(found, stopper.signal);
        cutAt(id, found.conversation.turns[found.turns - 1]?.id, { summary });
        return true;
      } catch (error) {
        if (!stopper.signal.aborted) tell(context, t('window.noSummary', { reason: messageOf(error) }), 'bad');
        return false;
      } finally {
        summaries.delete(id);
        showSummary(id, null);
      }
    },
    stopSummary: (id) => summaries.get(id)?.abort(),
    editSummary: (id, summary) => cutAt(id, findConversation(store.get(), id)?.leftOut?.messageId, { summary }),
    bringBack: (id) => {
      // A cut further up would show otherwise.
      const cuts = Object.values(messagesOf(store.get(), id)).filter(({ cut }) => cut?.value);
      const messages = cuts.flatMap((message) => setCut(message, null, clock.next()).messages);
      void change(context, { heads: [], messages });
    },
    branchOff: async (id) => {
      const found = await plan(id);
      if (!found) return null;
      const { leftOut: _, ...conversation } = found.conversation;
      const kept = conversation.turns.slice(found.turns).filter(isSaid);
      const now = Date.now();
      const turns = kept.map((turn) => ({ ...turn, id: newId() }));
      const copy = { ...conversation, id: newId(), createdAt: now, updatedAt: now, turns };
      context.reads.set(copy.id, Promise.resolve());
      const { heads, messages } = fromList(copy);
      const folder = folderOf(headOf(store.get(), id) ?? {});
      const inFolder = (head: Head) => (folder === '' ? head : withValues(head, { folder }, clock.next()));
      void change(context, { heads: heads.map(inFolder), messages });
      await open(copy.id);
      return copy.id;
    },
  };
}

function isWindowFull(error: unknown): boolean {
  return error instanceof ApiFailure && error.code === WINDOW_FULL;
}

/** False for a reply that failed before its first word. */
function isSaid(turn: Turn): boolean {
  return turn.role !== 'assistant' || turn.text !== '' || turn.calls.length > 0;
}
