import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Actions } from './actions.ts';

export const ActionsContext = createContext<Actions | null>(null);

/** Returns the actions, in any component. */
export function useActions(): Actions {
  const actions = useContext(ActionsContext);
  if (!actions) throw new Error('there is no ActionsContext.Provider above');
  return actions;
}
