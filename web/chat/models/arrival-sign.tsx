import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import type { MessageKey } from '../messages/translate.ts';
import { DownIcon } from '../parts/icons.tsx';
import { type Arrival, paceOf, shareOf } from './arrival.ts';

const LABELS: Record<Arrival['kind'], { progress: MessageKey; failed: MessageKey }> = {
  pull: { progress: 'arrival.download', failed: 'arrival.downloadFailed' },
  import: { progress: 'arrival.import', failed: 'arrival.importFailed' },
};

/** Shows the progress of a pull or import in the top bar. A click opens the list of models. */
export function ArrivalSign({ arrival, onOpen }: { arrival: Arrival; onOpen: () => void }): JSX.Element {
  const { source, completed, total, kind, paused, failure } = arrival;
  const state =
    failure === null
      ? [...(paused ? [t('arrival.paused')] : []), shareOf(arrival, t) ?? ''].join(' ')
      : t('arrival.failed');
  const label = t(LABELS[kind].progress, { source, state: state.trim() || t('arrival.begins') });
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
        <span class="figures arrival-pace">{paceOf(arrival, t)}</span>
      </button>
      <span class="hidden" role="status">
        {failure !== null && t(LABELS[kind].failed, { source, reason: failure })}
      </span>
    </>
  );
}
