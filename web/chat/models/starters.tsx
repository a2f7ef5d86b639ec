import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import '../messages/later.ts';
import { localizeBytes } from '../messages/numbers.ts';
import '../style/starters.css';
import { useActions } from '../state/use-actions.ts';
import { fittingStarters, greetedStarters, type OfferedStarter } from './starter.ts';

/** Lists the starter models that fit this machine, in the dialog of models. */
export function StarterList(): JSX.Element | null {
  const starters = useStarters();
  if (starters === 'asking') {
    return (
      <p class="muted pulse" role="status">
        {t('starters.asking')}
      </p>
    );
  }
  if (!starters) return null;
  const fitting = fittingStarters(starters);
  return (
    <section class="starters" aria-label={t('starters.title')}>
      <h4>{t('starters.title')}</h4>
      {fitting.length === 0 && <p class="muted">{t('starters.noneFits')}</p>}
      <ul class="found">
        {fitting.map((starter) => (
          <StarterRow key={starter.name} starter={starter} />
        ))}
      </ul>
      <p class="muted">{t('starters.estimates')}</p>
    </section>
  );
}

/** Offers the recommended chat model and two smaller ones, in the greeting of the first visit. */
export function GreetingStarters(): JSX.Element | null {
  const starters = useStarters();
  const greeted = typeof starters === 'object' && starters ? greetedStarters(starters) : [];
  if (greeted.length === 0) return null;
  return (
    <section class="starters in-greeting" aria-label={t('starters.title')}>
      <p class="muted">{t('starters.greeting')}</p>
      <ul class="found">
        {greeted.map((starter) => (
          <StarterRow key={starter.name} starter={starter} />
        ))}
      </ul>
    </section>
  );
}

/** Returns the starter models; null if the server does not tell them, as an older one or for a key without the right. */
function useStarters(): OfferedStarter[] | 'asking' | null {
  const { hub } = useActions();
  const [starters, setStarters] = useState<OfferedStarter[] | 'asking' | null>('asking');
  useEffect(() => {
    const stopper = new AbortController();
    hub.starters(stopper.signal).then(setStarters, () => setStarters(null));
    return () => stopper.abort();
  }, []);
  return starters;
}

function StarterRow({ starter }: { starter: OfferedStarter }): JSX.Element {
  const { models } = useActions();
  const { name, title, best, pulled, source } = starter;
  return (
    <li class="variant">
      <span>
        <strong>{title}</strong>
        {best && <span class="tag strong">{t('models.best')}</span>}
        {pulled && <span class="tag">{t('starters.here')}</span>}
        <span class="muted">{factsOf(starter)}</span>
      </span>
      {!pulled && (
        <button
          type="button"
          class={best ? 'button primary' : 'button'}
          aria-label={t('models.pullNamed', { name })}
          onClick={() => void models.pull(source)}
        >
          {t('models.pull')}
        </button>
      )}
    </li>
  );
}

function factsOf({
  kind,
  size,
  size_is_exact: isExact,
  memory,
  fit,
  tokens_per_second: speed,
  licence,
}: OfferedStarter): string {
  const bytes = localizeBytes(size, t.tag);
  return [
    t(`starters.${kind}`),
    isExact ? bytes : t('starters.about', { size: bytes }),
    t('starters.memory', { size: { bytes: memory } }),
    ...(speed ? [t('starters.speed', { low: speed.low, high: speed.high })] : []),
    licence,
    ...(fit === 'full' ? [t('models.fitsAlone')] : []),
  ].join(' · ');
}
