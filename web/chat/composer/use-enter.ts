import { useEffect, useState } from 'preact/hooks';
import { keepEnter, readEnter } from '../state/preferences.ts';
import type { Enter } from './enter.ts';

const listeners = new Set<() => void>();

/**
 * Returns the effect of the Enter key, and a function that sets it. By default, Enter begins a new line on devices with
 * only a touch screen and sends elsewhere.
 */
export function useEnter(): [Enter, (enter: Enter) => void] {
  const [enter, setEnter] = useState(enterNow);
  useEffect(() => {
    const update = () => setEnter(enterNow());
    listeners.add(update);
    // Another tab may change the choice.
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
  // An on-screen keyboard has no Shift+Enter, so its Enter key must begin a new line.
  return readEnter() ?? (matchMedia('(hover: none) and (pointer: coarse)').matches ? 'newline' : 'send');
}
