import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/**
 * Makes a text area as high as its text, in browsers without the CSS property `field-sizing`. The style sheet limits
 * the height.
 */
export function useGrow(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    if (!area.current || CSS.supports('field-sizing', 'content')) return;
    area.current.style.height = 'auto';
    area.current.style.height = `${area.current.scrollHeight + 2}px`;
  }, [text]);
}
