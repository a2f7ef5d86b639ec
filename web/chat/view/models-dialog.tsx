import type { JSX } from 'preact';
import { formatBytes } from '../../../src/core/bytes.ts';
import type { Health } from '../data/health.ts';
import { currentConversation, groundOf, modelOf, type State } from '../data/state.ts';
import { AddModel } from './add-model.tsx';
import { HomeServerChoice } from './home-server.tsx';
import { ModelRow } from './model-row.tsx';
import { Dialog } from './parts.tsx';

/** Lists the models and offers ways to add more. */
export function ModelsDialog(props: { state: State; open: boolean; onClose: () => void }): JSX.Element {
  const { state, open, onClose } = props;
  const chosen = modelOf(state, currentConversation(state));
  return (
    <Dialog title="Models" open={open} onClose={onClose}>
      {state.models?.length === 0 && <p class="muted">There is no model yet. Add one below.</p>}
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
  const free = memory && memory.held > 0 ? ` · ${formatBytes(memory.available)} free` : '';
  if (models.length === 0)
    return <p class="muted">No model is in memory{memory && `: ${formatBytes(memory.available)} free`}.</p>;
  return (
    <p class="muted">
      {models.length === 1 ? '1 model' : `${models.length} models`} in memory: {formatBytes(taken)}
      {free}.
    </p>
  );
}
