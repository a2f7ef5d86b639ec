import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Makes a text area as high as its text where the browser's style sheets can't. The style bounds the height. */
export function useGrow(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    if (!area.current || CSS.supports('field-sizing', 'content')) return;
    area.current.style.height = 'auto';
    area.current.style.height = `${area.current.scrollHeight + 2}px`;
  }, [text]);
}
