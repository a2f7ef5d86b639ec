import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Up to this distance above the end, in px, the view counts as at the end. */
const NEAR = 48;

/** The events with which a person's input begins. */
const ACTS = ['keydown', 'pointerdown', 'wheel', 'touchmove'] as const;

interface Follow {
  frame: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  /** True if the end is in view and stays there while the content grows. */
  following: boolean;
  toEnd: () => void;
  /** Stops following the end, until the next input of a person. */
  leaveEnd: () => void;
}

/**
 * Keeps the end of growing content in view until the reader scrolls up. Following starts again when the reader scrolls
 * to the end.
 */
export function useFollow(conversationId: string): Follow {
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const wanted = useRef(true);
  const [following, setFollowing] = useState(true);

  /** The last known scroll position, in px. */
  const top = useRef(0);

  const jump = () => {
    const element = frame.current;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    top.current = element.scrollTop;
  };
  const toEnd = () => {
    wanted.current = true;
    held.current = false;
    setFollowing(true);
    jump();
  };

  /** True while a found place is shown. Its files may expand, and that must not scroll to the end. */
  const held = useRef(false);
  const leaveEnd = () => {
    wanted.current = false;
    held.current = true;
  };

  useEffect(() => {
    const element = frame.current;
    const grown = content.current;
    if (!element || !grown) return;
    top.current = element.scrollTop;
    const onScroll = () => {
      const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      // Growing content never scrolls up; only the reader does.
      if (atEnd && !held.current) wanted.current = true;
      else if (element.scrollTop < top.current) wanted.current = false;
      top.current = element.scrollTop;
      setFollowing(wanted.current);
    };
    const release = () => {
      if (!held.current) return;
      held.current = false;
      onScroll();
    };
    for (const kind of ACTS) addEventListener(kind, release, { passive: true });
    const observer = new ResizeObserver(() => {
      if (wanted.current) jump();
    });
    observer.observe(grown);
    observer.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      for (const kind of ACTS) removeEventListener(kind, release);
      element.removeEventListener('scroll', onScroll);
    };
  }, []);

  // A conversation is first shown at its end.
  useEffect(toEnd, [conversationId]);

  return { frame, content, following, toEnd, leaveEnd };
}
