import { shownMessages } from '../conversation/tree/branches.ts';
import { comparedMessages } from '../conversation/tree/compared.ts';
import { showBranch } from '../conversation/tree/operations.ts';
import type { MessageNode } from '../conversation/tree/tree.ts';
import { type Context, change } from '../state/context-actions.ts';
import { currentHead, messagesOf } from '../state/selectors.ts';
import { findIn, lastFind, type SearchHit, shownBy } from './search.ts';

export interface SearchActions {
  /** Searches all messages and their files for words. Returns the latest match in each conversation, by its id. */
  find(words: string, signal: AbortSignal): Promise<Map<string, SearchHit>>;
  /** Opens a conversation at a match: shows the branch with the match, and scrolls to it. */
  open(id: string, find: SearchHit, words: string): Promise<void>;
}

export function searchActions(context: Context, open: (id: string) => Promise<void>): SearchActions {
  const { store, database, clock } = context;
  return {
    find: async (words, signal) => {
      const found = new Map<string, SearchHit>();
      const look = (message: MessageNode) => {
        const find = findIn(message, words);
        if (find) found.set(message.conversation, lastFind(found.get(message.conversation), find));
      };
      // If the browser denies storage, only these messages exist.
      for (const own of Object.values(store.get().chats.messages)) Object.values(own).forEach(look);
      await database.eachMessage(look, signal).catch(() => {});
      return found;
    },
    open: async (id, { messageId, file }, words) => {
      await open(id);
      const state = store.get();
      const messages = messagesOf(state, id);
      if (state.currentId !== id || !messages[messageId]) return;
      const head = currentHead(state);
      const seen = [...shownMessages(head, messages), ...comparedMessages(head, messages)];
      if (!seen.some((message) => message.id === messageId)) {
        void change(context, showBranch(head, messages, messageId, clock.next()));
      }
      store.dispatch({ kind: 'place', place: { turnId: shownBy(messages, messageId), words, file } });
    },
  };
}
