import type { JSX } from 'preact';
import { lazy, useLazy } from './lazy.ts';
import type { WindowChoicesProps } from './window-choices.tsx';

const choices = lazy(() => import('./window-choices.tsx'));

/** Says how full the window is, and offers what can be done about it as soon as that is fetched. */
export function WindowOffer(props: WindowChoicesProps): JSX.Element {
  const part = useLazy(choices);
  return part ? <part.WindowChoices {...props} /> : <p>{props.children}</p>;
}
