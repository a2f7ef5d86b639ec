import { type Attachment, sorted, withMore } from '../attachments/attachments.ts';
import { withFiles } from '../attachments/text-file.ts';
import { type Field, later, NEVER, type Stamp } from '../conversation/tree/stamp.ts';

/** What is being written and not sent yet. It belongs to a conversation. */
export interface Draft {
  text: Field<string>;
  attachments: Field<Attachment[]>;
}

/** Some of a draft. The two parts are stored on their own: files are large, and a text changes with each key. */
export type DraftPart = Partial<Draft>;

/** A draft whose words were sent: these parts of it are empty now. */
export interface SentDraft {
  key: string;
  parts: DraftPart;
}

/** The draft of a conversation that has not begun has this key; the others have the id of their conversation. */
export const NEW_CHAT = 'new';

export const NO_DRAFT: Draft = { text: { value: '', at: NEVER }, attachments: { value: [], at: NEVER } };

/** The later text and the later attachments. */
export function mergeDraft(draft: Draft, part: DraftPart): Draft {
  return {
    text: part.text ? later(draft.text, part.text) : draft.text,
    attachments: part.attachments ? later(draft.attachments, part.attachments) : draft.attachments,
  };
}

/**
 * Joins a stored draft with what this tab has written before that could be read: the stored one comes first. What other
 * tabs have written went on from the stored one, and so did what this tab has stored itself. `at` is a new stamp.
 */
export function readLate(typed: Draft, stored: DraftPart, at: Stamp): Draft {
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

/** All words of a draft that the model would read, with those of attached files. */
export function draftWords({ text, attachments }: Draft): string {
  return withFiles(sorted(attachments.value).files, text.value);
}
