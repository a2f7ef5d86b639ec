import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import type { Health } from '../page/health.ts';
import { Dialog } from '../parts/parts.tsx';
import { currentConversation, groundOf, modelOf } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import { AddModel } from './add-model.tsx';
import { HomeServerChoice } from './home-server-choice.tsx';
import { ModelRow } from './model-row.tsx';

/** Lists the models and offers ways to add more. */
export function ModelsDialog(props: { state: State; open: boolean; onClose: () => void }): JSX.Element {
  const { state, open, onClose } = props;
  const chosen = modelOf(state, currentConversation(state));
  return (
    <Dialog title={t('page.models')} open={open} onClose={onClose}>
      {state.models?.length === 0 && <p class="muted">{t('models.none')}</p>}
      <MemoryLine health={state.health} />
      <ul class="models">
        {state.models?.map((model) => (
          <ModelRow key={model.id} state={state} model={model} chosen={model.id === chosen?.id} onChosen={onClose} />
        ))}
      </ul>
      <AddModel arrival={state.arrival} health={state.health} fromDisk={groundOf(state) === 'browser'} />
      <HomeServerChoice home={state.home} ground={groundOf(state)} />
    </Dialog>
  );
}

/** Says what the models in memory take, and what is left. */
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
