import type { Attachment } from './attachments.ts';
import { type Field, later } from './tree/stamp.ts';

/** What is being written and not sent yet. It belongs to a conversation. */
export interface Draft {
  text: Field<string>;
  attachments: Field<Attachment[]>;
}

/** Some of a draft. The two parts are stored on their own: files are large, and a text changes with each key. */
export type DraftPart = Partial<Draft>;

/** The draft of a conversation that has not begun has this key; the others have the id of their conversation. */
export const NEW_CHAT = 'new';

const NEVER = { time: 0, tab: '' };

export const NO_DRAFT: Draft = { text: { value: '', at: NEVER }, attachments: { value: [], at: NEVER } };

/** The later text and the later attachments. */
export function mergeDraft(draft: Draft, part: DraftPart): Draft {
  return {
    text: part.text ? later(draft.text, part.text) : draft.text,
    attachments: part.attachments ? later(draft.attachments, part.attachments) : draft.attachments,
  };
}

/**
 * Joins a stored draft with what was typed before it could be read. What the same tab has stored is an earlier state of
 * the very text.
 */
export function readLate(typed: Draft, stored: DraftPart): Draft {
  const joined = mergeDraft(typed, stored);
  if (stored.text?.at.tab === typed.text.at.tab) return joined;
  const text = `${stored.text?.value ?? ''}${typed.text.value}`;
  return { ...joined, text: { ...joined.text, value: text } };
}
