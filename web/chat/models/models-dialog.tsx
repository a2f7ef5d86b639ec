import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import type { Health } from '../page/health.ts';
import { lazy } from '../parts/lazy.ts';
import { Dialog } from '../parts/parts.tsx';
import { useLazy } from '../parts/use-lazy.ts';
import { currentModel, groundOf } from '../state/selectors.ts';
import { usePick, useSelect } from '../state/use-select.ts';
import { HomeServerChoice } from './home-server-choice.tsx';
import { ModelRow } from './model-row.tsx';

const adder = lazy(() => import('./add-model.tsx'));

/** Lists the models and offers ways to add more. */
export function ModelsDialog({ open, onClose }: { open: boolean; onClose: () => void }): JSX.Element {
  const chosen = useSelect(currentModel);
  const ground = useSelect(groundOf);
  const adding = useLazy(adder, open);
  const { models, health, arrival, home } = usePick('models', 'health', 'arrival', 'home');
  return (
    <Dialog title={t('page.models')} open={open} onClose={onClose}>
      {models?.length === 0 && <p class="muted">{t('models.none')}</p>}
      <MemoryLine health={health} />
      <ul class="models">
        {models?.map((model) => (
          <ModelRow key={model.id} model={model} chosen={model.id === chosen?.id} onChosen={onClose} />
        ))}
      </ul>
      {adding && <adding.AddModel arrival={arrival} health={health} fromDisk={ground === 'browser'} />}
      <HomeServerChoice home={home} ground={ground} />
    </Dialog>
  );
}

/** Shows how much memory the loaded models take, and how much is free. */
function MemoryLine({ health }: { health: Health | null }): JSX.Element | null {
  if (!health) return null;
  const { models, memory } = health;
  const taken = models.reduce((sum, model) => sum + model.memory, 0);
  const free = { bytes: memory?.available ?? 0 };
  if (models.length === 0) {
    return <p class="muted">{memory ? t('models.noneInMemoryFree', { free }) : t('models.noneInMemory')}</p>;
  }
  const values = { count: models.length, size: { bytes: taken }, free };
  return <p class="muted">{t(memory && memory.held > 0 ? 'models.inMemoryFree' : 'models.inMemory', values)}</p>;
}
