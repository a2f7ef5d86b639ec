import type { JSX } from 'preact';
import { formatBytes } from '../../../src/core/bytes.ts';
import { footingOf, type Health } from '../data/health.ts';
import { explainState, type Home, hostOf } from '../data/home-server.ts';
import type { ListedModel } from '../data/model.ts';
import type { Ground, Startup } from '../data/state.ts';

interface StatusLineProps {
  startup: Startup;
  /** True once Paddock has told its models. */
  known: boolean;
  health: Health | null;
  model: ListedModel | undefined;
  home: Home | null;
}

/** Says how far the start is, and then what the model runs on and why. */
export function StatusLine({ startup, known, health, model, home }: StatusLineProps): JSX.Element {
  if (startup.kind === 'fetching') return <Fetching {...startup} />;
  if (startup.kind !== 'ready') {
    return <p class="status">{startup.kind === 'starting' ? 'Looking for Paddock…' : 'Paddock is not there.'}</p>;
  }
  if (!model) return <p class="status">{known ? 'There is no model yet.' : 'Asking for the models…'}</p>;
  if (startup.ground === 'server' && !home && !health) return <p class="status">The server does not answer.</p>;
  const { text, reasons } = footingOf(health, model.id);
  const place = placeOf(startup.ground, home);
  const away = home && home.state !== 'answers' ? [explainState(home, location.origin)] : [];
  return (
    <p class="status">
      <span class="status-text" title={text}>
        <span class={home ? '' : 'status-place'}>{place} </span>
        {text}
      </span>
      {reasons.length + away.length > 0 && (
        <>
          <button type="button" class="link" popovertarget="why">
            Why?
          </button>
          <span id="why" popover="auto" class="why">
            {[...away, ...reasons].join(' ')}
          </span>
        </>
      )}
    </p>
  );
}

function placeOf(ground: Ground, home: Home | null): string {
  if (home?.state === 'answers') return `On ${hostOf(home.server)}.`;
  if (home)
    return `In this browser: ${hostOf(home.server)} ${home.state === 'silent' ? 'does not answer' : 'refuses this page'}.`;
  return ground === 'browser' ? 'In this browser.' : 'On the server.';
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
