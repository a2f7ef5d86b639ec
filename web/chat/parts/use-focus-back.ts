import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';

/** Gives the focus to what `find` returns, once the page is drawn anew, if nothing has it then. */
export function focusIfLost(find: () => HTMLElement | null | undefined): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) find()?.focus();
  });
}

/**
 * Keeps the focus near its place when the element that has it goes. `focusBack` waits until the page is drawn anew. Then
 * it gives the focus to the first element in `part` that matches `selector`, or to the conversation if `part` is gone too.
 */
export function useFocusBack<Part extends HTMLElement>(
  selector: string,
): { part: RefObject<Part | null>; focusBack: () => void } {
  const part = useRef<Part>(null);
  const focusBack = () => {
    requestAnimationFrame(() => {
      const next = part.current?.querySelector<HTMLElement>(selector);
      (next ?? document.querySelector<HTMLElement>('.turns'))?.focus();
    });
  };
  return { part, focusBack };
}
