import type { ListedModel } from '../../../src/contract/models/model.ts';
import type { ShownConversation, Turn } from '../conversation/conversation.ts';
import { fromList, setCut, withValues } from '../conversation/tree/operations.ts';
import type { Head } from '../conversation/tree/tree.ts';
import { t } from '../messages/language.ts';
import { folderNameOf } from '../sidebar/folders.ts';
import { type Context, change, localizedMessageOf, tell } from '../state/context-actions.ts';
import { newId } from '../state/new-id.ts';
import { findConversation, headOf, messagesOf, modelOf } from '../state/selectors.ts';
import { asSent } from './as-sent.ts';
import { type CountActions, countActions } from './count-actions.ts';
import type { Cut } from './cut.ts';
import { mostTokens, reserveOf, windowOf } from './fill.ts';
import { writeSummary } from './summary-actions.ts';
import { whereToCut } from './where-to-cut.ts';
import { wordsOf } from './words.ts';

/** Actions for a context window that fills up. */
export interface WindowActions extends CountActions {
  /**
   * Leaves out the oldest turns, so that about half of the window is free. Returns false if no turn can be left out.
   */
  leaveOut(id: string): Promise<boolean>;
  /** Has the model summarise the oldest turns, and replaces them with the summary. Returns false if that failed. */
  summarise(id: string): Promise<boolean>;
  stopSummary(id: string): void;
  /** Sets the summary that replaces the turns which are left out. */
  editSummary(id: string, summary: string): void;
  /** Gives the model all turns again. */
  bringBack(id: string): void;
  /** Opens a new conversation with the last turns of this one. Returns its id; null if no turn would be left out. */
  branchOff(id: string): Promise<string | null>;
}

/** The turns that the next requests leave out. */
interface CutPlan {
  conversation: ShownConversation;
  model: ListedModel;
  /** The context window, in tokens. */
  window: number;
  /** The number of turns to leave out, counted from the first. */
  turns: number;
}

export function windowActions(context: Context, open: (id: string) => Promise<void>): WindowActions {
  const { store, client, clock } = context;
  const counting = countActions(context);
  const summaries = new Map<string, AbortController>();

  const plan = async (id: string): Promise<CutPlan | null> => {
    const state = store.get();
    const conversation = findConversation(state, id);
    const model = conversation && modelOf(state, conversation);
    if (!conversation || !model) return null;
    const counted = await counting.countConversation(conversation, model, new AbortController().signal);
    const found = planCut(conversation, model, windowOf(state.health, model), counted);
    if (!found) tell(context, t('window.nothingToLeave'), 'bad');
    return found;
  };
  const cutAt = (id: string, messageId: string | undefined, cut: Cut | null) => {
    const message = messagesOf(store.get(), id)[messageId ?? ''];
    if (message) void change(context, setCut(message, cut, clock.next()));
  };
  const showSummary = (conversationId: string, text: string | null) =>
    store.dispatch({ kind: 'summarising', conversationId, text });

  return {
    ...counting,
    leaveOut: async (id) => {
      const found = await plan(id);
      if (!found) return false;
      cutAt(id, lastLeftOut(found), { summary: found.conversation.leftOut?.summary ?? null });
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
        const job = summaryJobOf(found);
        const summary = await writeSummary(client, job, (text) => showSummary(id, text), stopper.signal);
        cutAt(id, lastLeftOut(found), { summary });
        return true;
      } catch (error) {
        if (!stopper.signal.aborted) tell(context, t('window.noSummary', { reason: localizedMessageOf(error) }), 'bad');
        return false;
      } finally {
        summaries.delete(id);
        showSummary(id, null);
      }
    },
    stopSummary: (id) => summaries.get(id)?.abort(),
    editSummary: (id, summary) => cutAt(id, findConversation(store.get(), id)?.leftOut?.messageId, { summary }),
    bringBack: (id) => {
      // Every cut is removed: without the last one, an earlier one would apply.
      const cuts = Object.values(messagesOf(store.get(), id)).filter(({ cut }) => cut?.value);
      const messages = cuts.flatMap((message) => setCut(message, null, clock.next()).messages);
      void change(context, { heads: [], messages });
    },
    branchOff: async (id) => {
      const found = await plan(id);
      if (!found) return null;
      const copy = branchOf(found, newId(), Date.now());
      const folder = folderNameOf(headOf(store.get(), id) ?? {});
      const { heads, messages } = fromList(copy);
      const inFolder = (head: Head) => (folder === '' ? head : withValues(head, { folder }, clock.next()));
      // The new conversation has no stored messages to read.
      context.reads.set(copy.id, Promise.resolve());
      void change(context, { heads: heads.map(inFolder), messages });
      await open(copy.id);
      return copy.id;
    },
  };
}

/**
 * Plans to free about half of the window. `counted` is the number of prompt tokens; null for an upper bound by the
 * text.
 */
function planCut(
  conversation: ShownConversation,
  model: ListedModel,
  window: number,
  counted: number | null,
): CutPlan | null {
  const total = counted ?? mostTokens(asSent(conversation, model).turns.map(wordsOf).join(''));
  const turns = whereToCut(conversation, total, (window - reserveOf(conversation.settings, window)) / 2);
  return turns === null ? null : { conversation, model, window, turns };
}

/** Returns the id of the last turn that is left out. */
function lastLeftOut({ conversation, turns }: CutPlan): string | undefined {
  return conversation.turns[turns - 1]?.id;
}

function summaryJobOf({ conversation, model, window, turns }: CutPlan) {
  const { leftOut } = conversation;
  const part = conversation.turns.slice(leftOut?.turns ?? 0, turns);
  return { model, window, turns: part, before: leftOut?.summary ?? null };
}

/** Returns a new conversation with the turns that are not left out. `now` is the time in ms. */
function branchOf({ conversation, turns }: CutPlan, id: string, now: number): ShownConversation {
  const { leftOut: _, ...values } = conversation;
  const kept = conversation.turns.slice(turns).filter(isSaid);
  return { ...values, id, createdAt: now, updatedAt: now, turns: kept.map((turn) => ({ ...turn, id: newId() })) };
}

/** False for a reply that failed before its first token. */
function isSaid(turn: Turn): boolean {
  return turn.role !== 'assistant' || turn.text !== '' || turn.calls.length > 0;
}
