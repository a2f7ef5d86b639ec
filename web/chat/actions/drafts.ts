import type { Attachment } from '../data/attachments.ts';
import { type DraftPart, NO_DRAFT, readLate } from '../data/draft.ts';
import { draftKey, draftOf } from '../data/state.ts';
import type { Context } from './context.ts';

export interface DraftActions {
  /** Sets what is written in the current conversation and not sent yet. Parts that are left out stay. */
  write(draft: { text?: string; attachments?: Attachment[] }): void;
  /** Reads the stored draft of the current conversation, once. */
  read(): Promise<void>;
}

export function draftActions({ store, database, channel, clock }: Context): DraftActions {
  const read = new Set<string>();

  const put = (key: string, draft: DraftPart) => {
    store.dispatch({ kind: 'draft', key, draft });
    channel.post({ kind: 'draft', key, draft });
    // If this browser keeps nothing, the page says so once.
    database.putDraft(key, draft).catch(() => {});
  };

  return {
    write({ text, attachments }) {
      const at = clock.next();
      put(draftKey(store.get()), {
        ...(text !== undefined && { text: { value: text, at } }),
        ...(attachments !== undefined && { attachments: { value: attachments, at } }),
      });
    },
    async read() {
      const key = draftKey(store.get());
      if (read.has(key)) return;
      read.add(key);
      const stored = await database.draft(key).catch(() => ({}));
      const typed = draftOf(store.get(), key);
      if (typed === NO_DRAFT) return store.dispatch({ kind: 'draft', key, draft: stored });
      const { text, attachments } = readLate(typed, stored);
      put(key, { text: { ...text, at: clock.next() }, attachments });
    },
  };
}
