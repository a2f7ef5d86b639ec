import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { type FoundPlace, patternOf } from '../sidebar/search.ts';

/** The number of animation frames to wait until an expanded file is drawn. */
const FRAMES = 30;

/** The name of the highlight in the style sheet. */
const NAME = 'found';

/**
 * Shows the place where words were found: scrolls to it, highlights it and moves the focus there. Calls `leaveEnd`, so
 * that the view does not follow the end of the conversation.
 */
export function usePlace(place: FoundPlace | null, frame: RefObject<HTMLElement | null>, leaveEnd: () => void): void {
  useEffect(() => {
    const turn = place && frame.current?.querySelector<HTMLElement>(`[data-turn="${CSS.escape(place.turnId)}"]`);
    if (!place || !turn) return;
    leaveEnd();
    turn.dataset.found = '';
    turn.tabIndex = -1;
    turn.focus({ preventScroll: true });
    let waiting = 0;
    const look = (frames: number) => {
      const range = unfold(turn, place) ?? null;
      if (!range && frames > 0 && place.file !== undefined) {
        waiting = requestAnimationFrame(() => look(frames - 1));
        return;
      }
      if (range) globalThis.CSS.highlights?.set(NAME, new Highlight(range));
      scrollTo(frame.current, range ?? turn);
    };
    look(FRAMES);
    return () => {
      cancelAnimationFrame(waiting);
      delete turn.dataset.found;
      globalThis.CSS.highlights?.delete(NAME);
    };
  }, [place]);
}

/**
 * Expands the elements that contain the words and returns the range of the words; undefined if they are not drawn, or
 * not yet.
 */
function unfold(turn: HTMLElement, { words, file }: FoundPlace): Range | undefined {
  const pattern = patternOf(words, '\\s*');
  const parts = [...turn.querySelectorAll(file === undefined ? '.bubble, .prose, .tool-call' : '.sent-file')].filter(
    (part) => file === undefined || part.querySelector('.file-name')?.textContent === file,
  );
  for (const part of parts) {
    if (file !== undefined) part.setAttribute('open', '');
    const range = rangeOf(part.querySelector('.sent-text') ?? part, pattern);
    if (!range) continue;
    for (const folded of part.querySelectorAll('details')) if (range.intersectsNode(folded)) folded.open = true;
    return range;
  }
  return undefined;
}

/** Returns the range of the first match in the text of an element, which may span several nodes. */
function rangeOf(element: Element, pattern: RegExp): Range | undefined {
  const match = pattern.exec(element.textContent ?? '');
  if (!match || match[0] === '') return undefined;
  const range = document.createRange();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let before = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const end = before + (node.nodeValue ?? '').length;
    if (before <= match.index && match.index < end) range.setStart(node, match.index - before);
    if (match.index + match[0].length <= end) {
      range.setEnd(node, match.index + match[0].length - before);
      return range;
    }
    before = end;
  }
  return undefined;
}

/** Scrolls the target into the upper half of the frame, and of the scrolling element within it. */
function scrollTo(frame: HTMLElement | null, target: Range | HTMLElement): void {
  const inner = target instanceof Range ? target.startContainer.parentElement?.closest('.sent-text') : null;
  for (const box of [inner, frame]) {
    if (box)
      box.scrollTop += target.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
  }
}
