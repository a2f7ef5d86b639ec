import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';

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
