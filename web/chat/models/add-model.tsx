import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { translateSaid } from '../messages/translate.ts';
import type { Health } from '../page/health.ts';
import { lazy } from '../parts/lazy.ts';
import { useLazy } from '../parts/use-lazy.ts';
import { useActions } from '../state/use-actions.ts';
import { type Arrival, paceOf } from './arrival.ts';

const finder = lazy(() => import('./find-model.tsx'));

interface AddModelProps {
  arrival: Arrival | null;
  health: Health | null;
  /** True if a file can be imported. */
  fromDisk: boolean;
}

/** Searches for models and pulls them. While a model is pulled or imported, shows its progress instead. */
export function AddModel({ arrival, health, fromDisk }: AddModelProps): JSX.Element {
  const part = useLazy(finder, !arrival);
  if (arrival) return <Arriving arrival={arrival} />;
  return (
    <section class="add-model">
      <h3>{t('models.add')}</h3>
      {part && <part.FindModel health={health} />}
      {fromDisk && <FromDisk />}
    </section>
  );
}

function FromDisk(): JSX.Element {
  const { models } = useActions();
  return (
    <p class="row from-disk">
      <label class="button file-button">
        {t('models.importFile')}
        <input
          type="file"
          accept=".gguf"
          aria-label={t('models.importFile')}
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file) void models.importFile(file);
            currentTarget.value = '';
          }}
        />
      </label>
      <span class="muted">{t('models.copiedIn')}</span>
    </p>
  );
}

function Arriving({ arrival }: { arrival: Arrival }): JSX.Element {
  const { models } = useActions();
  const { source, step, completed, total, kind, paused, failure } = arrival;
  const known = total !== null && total > 0;
  const stands = paused || failure !== null;
  return (
    <section class="add-model">
      <h3 class="source">{source}</h3>
      <progress
        {...(known ? { value: completed, max: total } : stands && { value: 0 })}
        aria-label={t('arrival.progress', { source })}
      />
      {failure === null ? (
        <p class="muted arrival-step">{translateSaid(step, t)}</p>
      ) : (
        <p class="problem arrival-step" role="alert">
          {t('arrival.didNotCome', { reason: failure })}
        </p>
      )}
      <p class="muted figures">
        {[
          ...(known ? [t('common.of', { part: { bytes: completed }, whole: { bytes: total } })] : []),
          paceOf(arrival, t),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <div class="row">
        {kind === 'pull' && stands && (
          <button type="button" class="button primary" onClick={() => void models.goOn()}>
            {failure === null ? t('arrival.goOn') : t('common.tryAgain')}
          </button>
        )}
        {kind === 'pull' && !stands && (
          <button type="button" class="button" onClick={models.pauseArrival}>
            {t('arrival.pause')}
          </button>
        )}
        <button type="button" class="button quiet" onClick={models.cancelArrival}>
          {stands ? t('arrival.forget') : t('common.cancel')}
        </button>
      </div>
      {kind === 'pull' && <p class="muted">{t('arrival.isKept')}</p>}
    </section>
  );
}
