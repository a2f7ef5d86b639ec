import type { JSX } from 'preact';
import { footingOf, type Health } from '../data/health.ts';
import type { ListedModel } from '../data/model.ts';
import type { Ground } from '../data/state.ts';

interface StatusLineProps {
  ground: Ground | null;
  health: Health | null;
  model: ListedModel | undefined;
}

/** Says what the model runs on and why. */
export function StatusLine({ ground, health, model }: StatusLineProps): JSX.Element {
  if (!model) return <p class="status">{ground === null ? 'Looking for Paddock…' : 'There is no model yet.'}</p>;
  const { text, reasons } = footingOf(health, model.id);
  const place = ground === 'browser' ? 'In this browser.' : 'On the server.';
  return (
    <p class="status">
      <span class="status-text" title={text}>
        <span class="status-place">{place} </span>
        {text}
      </span>
      {reasons.length > 0 && (
        <>
          <button type="button" class="link" popovertarget="why">
            Why?
          </button>
          <span id="why" popover="auto" class="why">
            {reasons.join(' ')}
          </span>
        </>
      )}
    </p>
  );
}
