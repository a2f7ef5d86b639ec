import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { isShallowEqual } from './shallow.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';

export const StoreContext = createContext<Store | null>(null);

/** Returns the store, in any component, for code that reads the state later than it draws. */
export function useStore(): Store {
  const store = useContext(StoreContext);
  if (!store) throw new Error('there is no StoreContext.Provider above');
  return store;
}

/**
 * Returns the part of the state that `select` returns. The component is drawn again only when that part changes: arrays
 * and plain objects are compared by their elements, so `select` may return new ones with elements of the state.
 */
export function useSelect<Part>(select: (state: State) => Part): Part {
  const store = useStore();
  const drawn = useRef<{ part: Part; select: (state: State) => Part } | null>(null);
  const [, redraw] = useState({});
  const selected = select(store.get());
  const part = drawn.current && isShallowEqual(drawn.current.part, selected) ? drawn.current.part : selected;
  drawn.current = { part, select };
  useEffect(() => {
    const look = () => {
      const last = drawn.current;
      if (last && !isShallowEqual(last.part, last.select(store.get()))) redraw({});
    };
    // The state may have changed between the drawing and this effect.
    look();
    return store.subscribe(look);
  }, [store]);
  return part;
}

/** Returns these values of the state. The component is drawn again only when one of them changes. */
export function usePick<Name extends keyof State>(...names: Name[]): Pick<State, Name> {
  return useSelect((state) => Object.fromEntries(names.map((name) => [name, state[name]])) as Pick<State, Name>);
}
