import type { JSX } from 'preact';
import { type Arrival, paceOf, shareOf } from '../data/arrival.ts';
import { DownIcon } from './icons.tsx';

/** Says in the top bar how far a model's download is. A click shows more of it. */
export function ArrivalSign({ arrival, onOpen }: { arrival: Arrival; onOpen: () => void }): JSX.Element {
  const { source, completed, total, paused, failure } = arrival;
  const state = failure === null ? [...(paused ? ['Paused'] : []), shareOf(arrival) ?? ''].join(' ') : 'Failed';
  const label = `Download of ${source}: ${state.trim() || 'begins'}`;
  return (
    <>
      <button
        type="button"
        class={`button quiet arrival-sign ${failure === null ? '' : 'bad'}`}
        aria-label={label}
        title={failure ?? source}
        onClick={onOpen}
      >
        <DownIcon />
        <progress {...(total ? { value: completed, max: total } : {})} aria-hidden="true" />
        <span class="figures">{state}</span>
        <span class="figures arrival-pace">{paceOf(arrival)}</span>
      </button>
      <span class="hidden" role="status">
        {failure !== null && `The download of ${source} failed: ${failure}`}
      </span>
    </>
  );
}
