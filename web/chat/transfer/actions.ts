import { withValues } from '../conversation/tree/operations.ts';
import type { Chats, Head, Patch } from '../conversation/tree/tree.ts';
import { t } from '../messages/language.ts';
import { localizeList } from '../messages/numbers.ts';
import { LocalizedError } from '../messages/problem.ts';
import { shownTitle } from '../messages/shown-title.ts';
import { changePresets } from '../presets/actions.ts';
import type { PromptActions } from '../prompts/actions.ts';
import { type Context, change, localizedMessageOf, readMessages, see, tell } from '../state/context-actions.ts';
import { findConversation, headOf, messagesOf } from '../state/selectors.ts';
import { exportText } from './export.ts';
import { toMarkdown } from './markdown.ts';

export interface TransferActions {
  /**
   * Returns the text of a file with one conversation: its shown branch as Markdown, or all of it as JSON for an import.
   */
  exportOne(id: string, form: 'markdown' | 'json'): Promise<string>;
  /** Returns the text of a file with all conversations, presets and prompts. */
  exportAll(): Promise<string>;
  /** Merges the contents of an export file into the conversations, presets and prompts of this browser. */
  importAll(file: Blob): Promise<void>;
}

export function transferActions(context: Context, prompts: Pick<PromptActions, 'take'>): TransferActions {
  const { store, database } = context;
  return {
    exportOne: async (id, form) => {
      await readMessages(context, id);
      const state = store.get();
      const conversation = findConversation(state, id);
      if (form === 'markdown') return conversation ? toMarkdown(conversation, shownTitle(conversation.title), t) : '';
      const head = headOf(state, id);
      return exportText({ heads: head ? [head] : [], messages: Object.values(messagesOf(state, id)) });
    },
    exportAll: async () => {
      const { chats, presets, prompts } = store.get();
      const patch = await database.all().catch(() => everythingIn(chats));
      return exportText(patch, presets, Object.values(prompts));
    },
    importAll: async (file) => {
      try {
        // Most people never import, so its code is fetched when it is needed.
        const { importText } = await import('./import.ts').catch(() => {
          throw new LocalizedError('chats.importNotFetched');
        });
        const { presets, prompts: imported = [], ...patch } = importText(await file.text(), Date.now());
        if (presets) changePresets(context, presets);
        const taken = await importChats(context, patch);
        tell(context, importedText(taken, patch.heads.length - taken, prompts.take(imported)));
      } catch (error) {
        tell(context, localizedMessageOf(error), 'bad');
      }
    },
  };
}

/** Merges imported conversations into this browser's. Returns how many are new or newer than the ones here. */
async function importChats(context: Context, { heads, messages }: Patch): Promise<number> {
  const { store, clock, reads } = context;
  see(context, { heads, messages });
  const taken = newOrNewer(store.get().chats, heads);
  // An imported conversation that was deleted here is restored.
  const restored = (head: Head) => (taken.has(head) ? withValues(head, { deleted: false }, clock.next()) : head);
  for (const { id } of heads) reads.delete(id);
  await change(context, { heads: heads.map(restored), messages });
  await Promise.all(heads.map(({ id }) => readMessages(context, id)));
  return taken.size;
}

/** Returns the heads that `chats` lacks, has in an older version or has deleted. */
function newOrNewer({ heads: known }: Chats, heads: Head[]): Set<Head> {
  return new Set(
    heads.filter(({ id, updatedAt }) => {
      const own = known[id];
      return !own || own.deleted.value || own.updatedAt < updatedAt;
    }),
  );
}

function everythingIn({ heads, messages }: Chats): Patch {
  return { heads: Object.values(heads), messages: Object.values(messages).flatMap(Object.values) };
}

/**
 * Returns the sentence that reports an import. `taken` is the number of chats that are new or newer than the ones here,
 * `known` the number of the remaining chats, `prompts` the number of new prompts.
 */
function importedText(taken: number, known: number, prompts: number): string {
  const rest = known === 0 ? [] : [t('chats.known', { count: known })];
  if (taken + prompts === 0 && known > 0) return [t('chats.nothingNew'), ...rest].join(t('common.between'));
  const parts = [
    ...(taken > 0 || prompts === 0 ? [t('chats.count', { count: taken })] : []),
    ...(prompts > 0 ? [t('prompts.count', { count: prompts })] : []),
  ];
  return [t('chats.imported', { what: localizeList(parts, t.tag) }), ...rest].join(t('common.between'));
}
