import type { DraftActions } from '../composer/actions.ts';
import { t } from '../messages/language.ts';
import { settleFresh } from '../presets/actions.ts';
import { correctAddress, idInAddress, showInAddress } from '../state/address.ts';
import { applyPatch, type Context, readMessages, tell } from '../state/context-actions.ts';
import { newId } from '../state/new-id.ts';
import { currentHead, headOf } from '../state/selectors.ts';
import { erased, isOver } from './tree/erase.ts';
import { newHead } from './tree/operations.ts';

/** Actions that decide which conversation is open. */
export interface OpenActions {
  /** Lists the stored conversations and opens the conversation that the address names, if it exists. */
  restore(): Promise<void>;
  /** Begins a conversation with the settings of the current one, and with its model if there is no default model. */
  begin(): void;
  open(id: string): Promise<void>;
  /** Opens the conversation that the address names, or a new one if the address names none. */
  followAddress(): void;
}

export function openActions(context: Context, drafts: Pick<DraftActions, 'read' | 'takeOver'>): OpenActions {
  const { store, clock } = context;
  /** The id of the conversation that was chosen last. It opens once its messages are read. */
  let chosen: string | null = null;

  const begin = () => {
    const { settings, model } = currentHead(store.get());
    const own = store.get().defaultModel === null ? model.value : null;
    const head = newHead(newId(), clock.next(), settings.value, own);
    chosen = head.id;
    store.dispatch({ kind: 'fresh', head });
    store.dispatch({ kind: 'open', id: head.id });
    settleFresh(context);
    void drafts.read();
  };
  const open = async (id: string) => {
    chosen = id;
    if (headOf(store.get(), id)) await readMessages(context, id);
    if (chosen !== id) return;
    if (!headOf(store.get(), id)) return leave(id);
    store.dispatch({ kind: 'open', id });
    showInAddress(id);
    await drafts.read();
  };
  /** Tells that a conversation does not exist any more. A draft that was typed for it moves to the new conversation. */
  const leave = (id: string) => {
    tell(context, t('chats.gone'), 'bad');
    if (store.get().currentId === id) {
      begin();
      drafts.takeOver(id);
    }
    const { chats, currentId } = store.get();
    correctAddress(chats.heads[currentId] ? currentId : null);
  };

  return {
    restore: async () => {
      // The stored draft is read before the draft of this tab replaces it.
      void drafts.read();
      await restoreHeads(context);
      const id = idInAddress();
      if (id !== '') await open(id);
    },
    begin: () => {
      begin();
      showInAddress(null);
    },
    open,
    followAddress: () => {
      const id = idInAddress();
      if (id !== '') void open(id);
      else begin();
    },
  };
}

/** Lists the stored conversations, and erases the ones that were deleted long ago. */
async function restoreHeads(context: Context): Promise<void> {
  const { store, database } = context;
  const now = Date.now();
  try {
    const heads = await database.heads();
    applyPatch(context, { heads: heads.map((head) => (isOver(head, now) ? erased(head) : head)), messages: [] });
    const over = heads.filter((head) => isOver(head, now)).map(({ id }) => id);
    database.erase(over, now).catch(() => {});
  } catch {
    store.dispatch({ kind: 'kept', kept: false });
  }
  store.dispatch({ kind: 'listed' });
}
