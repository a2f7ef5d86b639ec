import type { Action, State } from './state.ts';

/** Holds the page's state. */
export interface Store {
  get(): State;
  dispatch(action: Action): void;
  /** Calls the listener after each change. Returns a function that removes the listener. */
  subscribe(listener: () => void): () => void;
}

export function createStore(reduce: (state: State, action: Action) => State, initial: State): Store {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    dispatch(action) {
      state = reduce(state, action);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
