import { useEffect, useState } from 'preact/hooks';
import { keepEnter, readEnter } from '../state/preferences.ts';
import type { Enter } from './enter.ts';

const listeners = new Set<() => void>();

/** What Enter does here, and a way to choose it. Without a choice it begins a new line where there is only a screen to touch. */
export function useEnter(): [Enter, (enter: Enter) => void] {
  const [enter, setEnter] = useState(enterNow);
  useEffect(() => {
    const update = () => setEnter(enterNow());
    listeners.add(update);
    // Another tab may choose too.
    addEventListener('storage', update);
    return () => {
      listeners.delete(update);
      removeEventListener('storage', update);
    };
  }, []);
  return [enter, choose];
}

function choose(enter: Enter): void {
  keepEnter(enter);
  for (const listener of listeners) listener();
}

function enterNow(): Enter {
  // A keyboard on the screen has one key for both, and no Shift+Enter.
  return readEnter() ?? (matchMedia('(hover: none) and (pointer: coarse)').matches ? 'newline' : 'send');
}
