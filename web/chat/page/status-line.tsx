import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { explainState, type Home, hostOf } from '../models/home-server.ts';
import { currentModel } from '../state/selectors.ts';
import type { Ground } from '../state/state.ts';
import { usePick, useSelect } from '../state/use-select.ts';
import { footingOf } from './health.ts';

/** Shows the progress of the page's start, and then what the model runs on and why. */
export function StatusLine(): JSX.Element {
  const { startup, models, health, home } = usePick('startup', 'models', 'health', 'home');
  const model = useSelect(currentModel);
  if (startup.kind === 'fetching') return <Fetching {...startup} />;
  if (startup.kind !== 'ready') {
    return <p class="status">{startup.kind === 'starting' ? t('start.looking') : t('start.missing')}</p>;
  }
  if (!model) return <p class="status">{models ? t('files.noModel') : t('start.askingModels')}</p>;
  if (startup.ground === 'server' && !home && !health) return <p class="status">{t('start.serverSilent')}</p>;
  const isHere = startup.ground === 'browser' && !home;
  const { text, reasons } = footingOf(health, model.id, t, isHere);
  const isSaid = isHere && health?.models.some(({ id }) => id === model.id);
  const place = isSaid ? '' : `${placeOf(startup.ground, home)} `;
  const away = home && home.state !== 'answers' ? [explainState(home, location.origin, t)] : [];
  return (
    <p class="status">
      <span class="status-text" title={text}>
        <span class={home ? '' : 'status-place'}>{place}</span>
        {text}
      </span>
      {reasons.length + away.length > 0 && (
        <>
          <button type="button" class="link" popovertarget="why">
            {t('status.why')}
          </button>
          <span id="why" popover="auto" class="why">
            {away.join(' ')} <span lang="en">{reasons.join(' ')}</span>
          </span>
        </>
      )}
    </p>
  );
}

function placeOf(ground: Ground, home: Home | null): string {
  if (home?.state === 'answers') return t('status.onHost', { host: hostOf(home.server) });
  if (home)
    return t(home.state === 'silent' ? 'status.hereSilent' : 'status.hereRefused', { host: hostOf(home.server) });
  return ground === 'browser' ? t('status.here') : t('status.onServer');
}

/**
 * Shows how much of the engine and the built-in model is fetched. A first visit fetches them, and this browser keeps
 * them.
 */
function Fetching({ completed, total }: { completed: number; total: number }): JSX.Element {
  return (
    <label class="status fetching">
      <span class="status-text">
        {t('start.fetching', { part: { bytes: completed }, whole: { bytes: total } })}
        <span class="status-place">{t('start.fetchingWhat')}</span>
      </span>
      <progress value={completed} max={Math.max(1, total)} />
    </label>
  );
}
