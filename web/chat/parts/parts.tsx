import { type ComponentChildren, createContext, type JSX, type TargetedMouseEvent } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { CloseIcon } from './icons.tsx';

interface IconButtonProps {
  label: string;
  onClick: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  children: ComponentChildren;
  class?: string;
  /** Set for a toggle button. */
  pressed?: boolean;
  /** Set for a button that shows and hides an element. */
  expanded?: boolean;
}

/** A button with an icon. The label is its accessible name and its tooltip. */
export function IconButton(props: IconButtonProps): JSX.Element {
  const { label, onClick, children, class: extra = '', pressed, expanded } = props;
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      title={label}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ComponentChildren;
  /** The form in which it appears. */
  shape?: 'sheet' | 'drawer';
}

/** An element that the open dialog shows as well, such as a notice: the rest of the page is inert then. */
export const InDialogs = createContext<ComponentChildren>(null);

/** The browser's own modal dialog. It keeps the focus; Escape or a click outside closes it. */
export function Dialog({ title, open, onClose, children, shape = 'sheet' }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const above = useContext(InDialogs);
  // A layout effect, so that the page is no longer inert when a person types right after closing the dialog.
  useLayoutEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open) dialog.current?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      class={shape}
      aria-label={title}
      closedby="any"
      onClose={() => {
        restoreCaret();
        onClose();
      }}
    >
      {open && (
        <div class="dialog-body">
          <header class="dialog-head">
            <h2>{title}</h2>
            <IconButton label={t('common.close')} onClick={onClose}>
              <CloseIcon />
            </IconButton>
          </header>
          {children}
          {above}
        </div>
      )}
    </dialog>
  );
}

/**
 * Restores the caret of the field that gets the focus back. Chromium does not always do that, and then no key is
 * accepted.
 */
function restoreCaret(): void {
  const field = document.activeElement;
  if (field instanceof HTMLTextAreaElement) field.setSelectionRange(field.selectionStart, field.selectionEnd);
}
