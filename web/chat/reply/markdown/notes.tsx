import type { ComponentChildren, JSX } from 'preact';
import { t } from '../../messages/language.ts';

/**
 * The mark of a footnote in the text. A click moves to the note, once its text exists. It is a button, because a link
 * would change the part of the address that names the conversation.
 */
export function NoteMark({ label, known }: { label: string; known: boolean }): JSX.Element {
  if (!known) return <sup>[{label}]</sup>;
  return (
    <sup>
      <button
        type="button"
        class="note-mark"
        data-note-mark={label}
        aria-label={t('reply.footnote', { label })}
        onClick={({ currentTarget }) => goTo(currentTarget, 'data-note', label)}
      >
        {label}
      </button>
    </sup>
  );
}

/** The text of a footnote, with a button that moves back to its mark. */
export function Note({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="note" data-note={label} tabIndex={-1}>
      <button
        type="button"
        class="note-mark"
        aria-label={t('reply.backToText', { label })}
        onClick={({ currentTarget }) => goTo(currentTarget, 'data-note-mark', label)}
      >
        {label}
      </button>
      <div>{children}</div>
    </div>
  );
}

/** Moves the focus to the first element of the same text with this label. */
function goTo(from: Element, attribute: string, label: string): void {
  const there = from.closest('.prose')?.querySelector<HTMLElement>(`[${attribute}="${CSS.escape(label)}"]`);
  there?.focus();
  there?.scrollIntoView({ block: 'nearest' });
}
