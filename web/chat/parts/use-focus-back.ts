import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';

/** Waits for the next frame. If no element has the focus then, moves it to the element that `find` returns. */
export function focusIfLost(find: () => HTMLElement | null | undefined): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) find()?.focus();
  });
}

/**
 * Restores the focus when the focused element is removed. `focusBack` waits for the next frame. Then it moves the focus
 * to the first element in `part` that matches `selector`, or to the conversation if `part` is removed too.
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
