import type { JSX } from 'preact';
import { lazy, useLazy } from '../parts/lazy.ts';
import { groundOf, modelOf } from '../state/selectors.ts';
import type { WindowChoicesProps } from './window-choices.tsx';

const choices = lazy(() => import('./window-choices.tsx'));

/**
 * Says how full the window is, and offers what can be done about it as soon as that is fetched. It asks the state for what the
 * offers need: if they did it themselves, the bundler would cut the selectors and all that they use out of the first load's file,
 * and both would compress worse.
 */
export function WindowOffer(props: Omit<WindowChoicesProps, 'model' | 'ground'>): JSX.Element {
  const { state, conversation, children } = props;
  const part = useLazy(choices);
  if (!part) return <p>{children}</p>;
  return <part.WindowChoices {...props} model={modelOf(state, conversation)} ground={groundOf(state)} />;
}
