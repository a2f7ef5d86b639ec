import type { JSX } from 'preact';
import type { ListedModel } from '../../../src/contract/models/model.ts';
import { t } from '../messages/language.ts';
import { lazy } from '../parts/lazy.ts';
import { useLazy } from '../parts/use-lazy.ts';
import type { Ground } from '../state/state.ts';

const starters = lazy(() => import('../models/starters.tsx'));

interface GreetingProps {
  model: ListedModel | undefined;
  /** True if the built-in model is the only one, and none is being fetched. */
  alone: boolean;
  ground: Ground | null;
  /** True if Paddock could not start, so that nothing is sent anywhere. */
  failed: boolean;
  /** False if this browser denies the page storage. */
  kept: boolean;
}

/** The content of an empty conversation. */
export function Greeting({ model, alone, ground, failed, kept }: GreetingProps): JSX.Element {
  const part = useLazy(starters, alone);
  return (
    <div class="greeting">
      <h2>{model ? t('greeting.talkTo', { name: model.name }) : t('greeting.hello')}</h2>
      {model?.description && <p>{model.description}</p>}
      {!failed && <p class="muted">{whereItGoes(ground)}</p>}
      {alone && part && <part.GreetingStarters />}
      {!kept && (
        <p class="muted" role="status">
          {t('greeting.notKept')}
        </p>
      )}
    </div>
  );
}

function whereItGoes(ground: Ground | null): string {
  if (ground === 'browser') return t('greeting.browser');
  const local = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);
  return local ? t('greeting.machine') : t('greeting.server', { host: location.hostname });
}
