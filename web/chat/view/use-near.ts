import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** So far below or above the part in view, as a share of its height. */
const MARGIN = '100%';

/** Returns true from when the element comes near to what is in view. */
export function useNear(element: RefObject<Element | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || !element.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { root: element.current.closest('.turns'), rootMargin: `${MARGIN} 0%` },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [near]);
  return near;
}
