import type { JSX } from 'preact';
import { formatBytes } from '../../../src/core/bytes.ts';
import { footingOf, type Health } from '../data/health.ts';
import type { ListedModel } from '../data/model.ts';
import type { Startup } from '../data/state.ts';

interface StatusLineProps {
  startup: Startup;
  /** True once Paddock has told its models. */
  known: boolean;
  health: Health | null;
  model: ListedModel | undefined;
}

/** Says how far the start is, and then what the model runs on and why. */
export function StatusLine({ startup, known, health, model }: StatusLineProps): JSX.Element {
  if (startup.kind === 'fetching') return <Fetching {...startup} />;
  if (startup.kind !== 'ready') {
    return <p class="status">{startup.kind === 'starting' ? 'Looking for Paddock…' : 'Paddock is not there.'}</p>;
  }
  if (!model) return <p class="status">{known ? 'There is no model yet.' : 'Asking for the models…'}</p>;
  const { text, reasons } = footingOf(health, model.id);
  const place = startup.ground === 'browser' ? 'In this browser.' : 'On the server.';
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

/** What a first visit fetches: the engine and the built-in model, which then stay in this browser. */
function Fetching({ completed, total }: { completed: number; total: number }): JSX.Element {
  return (
    <label class="status fetching">
      <span class="status-text">
        Fetching {formatBytes(completed)} of {formatBytes(total)}
        <span class="status-place">: the engine and a small model, which then stay here</span>
      </span>
      <progress value={completed} max={Math.max(1, total)} />
    </label>
  );
}
