import { type Attachment, withMore } from '../attachments/attachments.ts';
import type { Context } from '../state/context-actions.ts';
import { draftKey, draftOf } from '../state/selectors.ts';
import { type DraftPart, NO_DRAFT, readLate, type SentDraft } from './draft.ts';

export interface DraftActions {
  /** Sets parts of the draft of the current conversation. The parts that are left out stay. */
  write(draft: { text?: string; attachments?: Attachment[] }): void;
  /** Adds files to the draft with this key. Reading files takes time, so another conversation may be open by now. */
  attach(key: string, attachments: Attachment[]): void;
  /** Removes a file from the draft with this key. */
  detach(key: string, attachment: Attachment): void;
  /**
   * Has a model write down what is said in a recording, and adds the text to the draft with this key. Returns the text.
   * Throws an `ApiFailure`.
   */
  dictate(key: string, model: string, recording: Blob): Promise<string>;
  /**
   * Copies the parts of the draft with this key that this tab has written into the draft of the current conversation.
   */
  takeOver(key: string): void;
  /**
   * Empties the draft of the current conversation and returns the emptied parts. The stored draft stays until they are
   * stored, in one transaction with the sent message.
   */
  clear(): SentDraft;
  /** Reads the stored draft of the current conversation, once. */
  read(): Promise<void>;
}

export function draftActions({ store, client, database, channel, clock }: Context): DraftActions {
  const reads = new Map<string, Promise<void>>();

  const show = (key: string, draft: DraftPart) => {
    store.dispatch({ kind: 'draft', key, draft });
    channel.post({ kind: 'draft', key, draft });
  };
  const put = (key: string, draft: DraftPart) => {
    // The stored draft is asked for before it is overwritten.
    void read(key);
    show(key, draft);
    // If this browser denies storage, another message on the page says so.
    database.putDraft(key, draft).catch(() => {});
  };
  const read = (key: string): Promise<void> => {
    const known = reads.get(key);
    if (known) return known;
    const reading = database.draft(key).then(
      (stored) => join(key, stored),
      () => void reads.delete(key),
    );
    reads.set(key, reading);
    return reading;
  };
  const join = (key: string, stored: DraftPart) => {
    for (const part of Object.values(stored)) clock.see(part.at);
    const typed = draftOf(store.get(), key);
    if (typed === NO_DRAFT) store.dispatch({ kind: 'draft', key, draft: stored });
    else put(key, readLate(typed, stored, clock.next()));
  };

  const write: DraftActions['write'] = ({ text, attachments }) => {
    const at = clock.next();
    put(draftKey(store.get()), {
      ...(text !== undefined && { text: { value: text, at } }),
      ...(attachments !== undefined && { attachments: { value: attachments, at } }),
    });
  };

  return {
    write,
    takeOver(key) {
      const { tab } = clock.next();
      const { text, attachments } = draftOf(store.get(), key);
      if (text.at.tab === tab && text.value !== '') write({ text: text.value });
      if (attachments.at.tab === tab && attachments.value.length > 0) write({ attachments: attachments.value });
    },
    detach(key, attachment) {
      const value = draftOf(store.get(), key).attachments.value.filter((one) => one !== attachment);
      put(key, { attachments: { value, at: clock.next() } });
    },
    attach(key, attachments) {
      const value = withMore(draftOf(store.get(), key).attachments.value, attachments);
      put(key, { attachments: { value, at: clock.next() } });
    },
    async dictate(key, model, recording) {
      const form = new FormData();
      form.set('model', model);
      form.set('file', recording, 'recording.wav');
      const { text } = (await client.post('/v1/audio/transcriptions', form)) as { text: string };
      const before = draftOf(store.get(), key).text.value.trimEnd();
      const value = before === '' ? text : `${before} ${text}`;
      if (text !== '') put(key, { text: { value, at: clock.next() } });
      return text;
    },
    clear() {
      const key = draftKey(store.get());
      const at = clock.next();
      const hadFiles = draftOf(store.get(), key).attachments.value.length > 0;
      const parts = { text: { value: '', at }, ...(hadFiles && { attachments: { value: [], at } }) };
      show(key, parts);
      return { key, parts };
    },
    read: () => read(draftKey(store.get())),
  };
}
