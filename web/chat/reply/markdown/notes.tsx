import type { ComponentChildren, JSX } from 'preact';
import { t } from '../../messages/language.ts';

/**
 * The mark of a footnote in the text. It leads to the note; while the words of the note have not come, it leads nowhere.
 * Buttons do it, because the part of the address that links would change names the conversation.
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

/** The words of a footnote, with a way back to the text. */
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

/** Puts the focus on the first element of the same text that bears this label. */
function goTo(from: Element, attribute: string, label: string): void {
  const there = from.closest('.prose')?.querySelector<HTMLElement>(`[${attribute}="${CSS.escape(label)}"]`);
  there?.focus();
  there?.scrollIntoView({ block: 'nearest' });
}
