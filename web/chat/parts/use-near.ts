import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** Returns true once the element has been in view, or within one screen height of it. */
export function useNear(element: RefObject<Element | null>): boolean {
  const [near, setNear] = useState(false);
  useLayoutEffect(() => {
    const place = element.current;
    if (near || !place) return;
    // An element that is near at once is drawn before the first paint, not twice.
    if (isNear(place)) return setNear(true);
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { root: place.closest('.turns'), rootMargin: '100% 0%' },
    );
    observer.observe(place);
    return () => observer.disconnect();
  }, [near]);
  return near;
}

function isNear(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top < 2 * innerHeight && bottom > -innerHeight;
}
