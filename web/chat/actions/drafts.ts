import type { Attachment } from '../data/attachments.ts';
import { type DraftPart, NO_DRAFT, readLate } from '../data/draft.ts';
import { draftKey, draftOf } from '../data/state.ts';
import type { Context } from './context.ts';

export interface DraftActions {
  /** Sets what is written in the current conversation and not sent yet. Parts that are left out stay. */
  write(draft: { text?: string; attachments?: Attachment[] }): void;
  /** Empties the draft of the current conversation. The stored one stays until what was sent is stored. */
  clear(sent: Promise<void>): void;
  /** Reads the stored draft of the current conversation, once. */
  read(): Promise<void>;
}

export function draftActions({ store, database, channel, clock }: Context): DraftActions {
  const read = new Set<string>();

  const show = (key: string, draft: DraftPart) => {
    store.dispatch({ kind: 'draft', key, draft });
    channel.post({ kind: 'draft', key, draft });
  };
  const put = (key: string, draft: DraftPart) => {
    show(key, draft);
    // If this browser keeps nothing, the page says so elsewhere.
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
    clear(sent) {
      const key = draftKey(store.get());
      const at = clock.next();
      const hadFiles = draftOf(store.get(), key).attachments.value.length > 0;
      show(key, { text: { value: '', at }, ...(hadFiles && { attachments: { value: [], at } }) });
      const keep = () => {
        // By then it may be a new draft.
        const { text, attachments } = draftOf(store.get(), key);
        return database.putDraft(key, { text, ...(hadFiles && { attachments }) });
      };
      void sent.then(keep).catch(() => {});
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
