import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatBytes } from '../../../src/core/bytes.ts';
import { canChat, type ListedModel } from '../data/model.ts';
import { currentConversation, groundOf, modelOf, type State } from '../data/state.ts';
import { useActions } from './actions.ts';
import { AddModel } from './add-model.tsx';
import { TrashIcon } from './icons.tsx';
import { Dialog, IconButton } from './parts.tsx';

/** Lists the models and offers ways to add more. */
export function ModelsDialog(props: { state: State; open: boolean; onClose: () => void }): JSX.Element {
  const { state, open, onClose } = props;
  const chosen = modelOf(state, currentConversation(state));
  return (
    <Dialog title="Models" open={open} onClose={onClose}>
      {state.models?.length === 0 && <p class="muted">There is no model yet. Add one below.</p>}
      <ul class="models">
        {state.models?.map((model) => (
          <ModelRow key={model.id} model={model} chosen={model.id === chosen?.id} onChosen={onClose} />
        ))}
      </ul>
      <AddModel arrival={state.arrival} fromDisk={groundOf(state) === 'browser'} />
    </Dialog>
  );
}

function ModelRow(props: { model: ListedModel; chosen: boolean; onChosen: () => void }): JSX.Element {
  const { model, chosen, onChosen } = props;
  const { models } = useActions();
  const [removing, setRemoving] = useState(false);
  if (removing) return <Removal model={model} onDone={() => setRemoving(false)} />;
  return (
    <li class="model">
      <button
        type="button"
        class="model-choose"
        title={model.id}
        aria-pressed={chosen}
        disabled={!canChat(model)}
        onClick={() => {
          models.choose(model.id);
          onChosen();
        }}
      >
        <span class="model-title">
          {model.name}
          {model.loaded && <span class="tag strong">in memory</span>}
        </span>
        <span class="muted">{describe(model)}</span>
      </button>
      <IconButton label={`Remove ${model.name}`} onClick={() => setRemoving(true)}>
        <TrashIcon />
      </IconButton>
    </li>
  );
}

function Removal({ model, onDone }: { model: ListedModel; onDone: () => void }): JSX.Element {
  const { models } = useActions();
  return (
    <li class="model removal">
      <p>
        Remove the files of <strong>{model.name}</strong> ({formatBytes(model.metadata.size)})?
      </p>
      <div class="row end">
        <button type="button" class="button quiet" onClick={onDone}>
          Keep
        </button>
        <button
          type="button"
          class="button bad"
          onClick={() => {
            onDone();
            void models.remove(model.id);
          }}
        >
          Remove
        </button>
      </div>
    </li>
  );
}

function describe({ id, name, metadata, context_length: contextLength, capabilities }: ListedModel): string {
  const able = (['vision', 'audio', 'tools', 'reasoning'] as const).filter((one) => capabilities[one]);
  return [
    ...(id === name ? [] : [id]),
    formatBytes(metadata.size),
    `${contextLength.toLocaleString('en')} tokens of context`,
    ...(capabilities.embedding
      ? ['makes vectors, no chat']
      : capabilities.rerank
        ? ['ranks documents, no chat']
        : able),
  ].join(' · ');
}
