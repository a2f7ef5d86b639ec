import { type Attachment, sorted, withMore } from '../attachments/attachments.ts';
import { withFiles } from '../attachments/text-file.ts';
import { type Field, later, NEVER, type Stamp } from '../conversation/tree/stamp.ts';

/** A message of a conversation that is being written and was not sent yet. */
export interface MessageDraft {
  text: Field<string>;
  attachments: Field<Attachment[]>;
}

/**
 * Parts of a draft. Text and attachments are stored separately: files are large, and the text changes with each key.
 */
export type DraftPart = Partial<MessageDraft>;

/** A draft that was sent: its key and its emptied parts. */
export interface SentDraft {
  key: string;
  parts: DraftPart;
}

/**
 * The key of the draft of a conversation that has not begun. Every other draft has the id of its conversation as its
 * key.
 */
export const NEW_CHAT = 'new';

export const NO_DRAFT: MessageDraft = { text: { value: '', at: NEVER }, attachments: { value: [], at: NEVER } };

/** Merges two drafts: the later text and the later attachments. */
export function mergeDraft(draft: MessageDraft, part: DraftPart): MessageDraft {
  return {
    text: part.text ? later(draft.text, part.text) : draft.text,
    attachments: part.attachments ? later(draft.attachments, part.attachments) : draft.attachments,
  };
}

/**
 * Joins the stored draft with the draft of this tab, once the stored one is read. If this tab has written a part before
 * it could read the part that another tab stored, the stored part comes first and this tab's follows. Otherwise the
 * later part continues the earlier one and replaces it. `at` is a new stamp.
 */
export function readLate(typed: MessageDraft, stored: DraftPart, at: Stamp): MessageDraft {
  const join = <T>(mine: Field<T>, known: Field<T> | undefined, both: (known: T, mine: T) => T): Field<T> => {
    if (!known) return mine;
    const isNew = mine.at.tab === at.tab && known.at.tab !== at.tab;
    return isNew ? { value: both(known.value, mine.value), at } : later(mine, known);
  };
  return {
    text: join(typed.text, stored.text, (known, mine) => known + mine),
    attachments: join(typed.attachments, stored.attachments, withMore),
  };
}

/** Returns the whole text of a draft that the model would get, with the texts of attached files. */
export function draftWords({ text, attachments }: MessageDraft): string {
  return withFiles(sorted(attachments.value).files, text.value);
}
