import type { JSX } from 'preact';
import { lazy } from '../parts/lazy.ts';
import { useLazy } from '../parts/use-lazy.ts';
import { currentModel, groundOf } from '../state/selectors.ts';
import { useSelect } from '../state/use-select.ts';
import type { WindowChoicesProps } from './window-choices.tsx';

const choices = lazy(() => import('./window-choices.tsx'));

type WindowOfferProps = Pick<WindowChoicesProps, 'conversation' | 'children' | 'onRoom' | 'onClose'>;

/**
 * Shows how full the window of the current conversation is, and ways to make room as soon as their code is fetched. The
 * state is read here: if `WindowChoices` imported the selectors, the bundler would move them out of the file of the
 * first load into a file of their own, and the two files would compress worse.
 */
export function WindowOffer(props: WindowOfferProps): JSX.Element {
  const part = useLazy(choices);
  const { id } = props.conversation;
  const selected = useSelect((state) => ({
    summary: state.summarising[id],
    models: state.models,
    health: state.health,
    model: currentModel(state),
    ground: groundOf(state),
  }));
  if (!part) return <p>{props.children}</p>;
  return <part.WindowChoices {...props} {...selected} />;
}
