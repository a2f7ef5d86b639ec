import type { JSX } from 'preact';
import '../messages/later.ts';
import { t } from '../messages/language.ts';
import { translateSaid } from '../messages/translate.ts';
import type { Health } from '../page/health.ts';
import { useActions } from '../state/use-actions.ts';
import { type Arrival, paceOf } from './arrival.ts';
import { FindModel } from './find-model.tsx';

interface AddModelProps {
  arrival: Arrival | null;
  health: Health | null;
  /** True if a file can be imported. */
  fromDisk: boolean;
}

/** Searches for models and pulls them. While a model is pulled or imported, shows its progress instead. */
export function AddModel({ arrival, health, fromDisk }: AddModelProps): JSX.Element {
  if (arrival) return <Arriving arrival={arrival} />;
  return (
    <section class="add-model">
      <h3>{t('adding.title')}</h3>
      <FindModel health={health} />
      {fromDisk && <FromDisk />}
    </section>
  );
}

function FromDisk(): JSX.Element {
  const { models } = useActions();
  return (
    <p class="row from-disk">
      <label class="button file-button">
        {t('adding.importFile')}
        <input
          type="file"
          accept=".gguf"
          aria-label={t('adding.importFile')}
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file) void models.importFile(file);
            currentTarget.value = '';
          }}
        />
      </label>
      <span class="muted">{t('adding.copiedIn')}</span>
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
        aria-label={t('adding.progress', { source })}
      />
      {failure === null ? (
        <p class="muted arrival-step">{translateSaid(step, t)}</p>
      ) : (
        <p class="problem arrival-step" role="alert">
          {kind === 'import' ? failure : t('adding.didNotCome', { reason: failure })}
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
            {failure === null ? t('adding.goOn') : t('common.tryAgain')}
          </button>
        )}
        {kind === 'pull' && !stands && (
          <button type="button" class="button" onClick={models.pauseArrival}>
            {t('adding.pause')}
          </button>
        )}
        <button type="button" class="button quiet" onClick={models.cancelArrival}>
          {stands ? t('adding.forget') : t('common.cancel')}
        </button>
      </div>
      {kind === 'pull' && <p class="muted">{t('adding.isKept')}</p>}
    </section>
  );
}
