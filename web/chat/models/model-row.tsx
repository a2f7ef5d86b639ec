import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { formatBytes } from '../messages/numbers.ts';
import { MoreIcon } from '../parts/icons.tsx';
import { IconButton } from '../parts/parts.tsx';
import { rich } from '../parts/rich.ts';
import { groundOf } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import { useActions } from '../state/use-actions.ts';
import { canChat, type ListedModel, nameAmong } from './model.ts';

interface ModelRowProps {
  state: State;
  model: ListedModel;
  chosen: boolean;
  onChosen: () => void;
}

/** A model of the list: a click chooses it, and more can be done with it. */
export function ModelRow({ state, model, chosen, onChosen }: ModelRowProps): JSX.Element {
  const { models } = useActions();
  const [more, setMore] = useState(false);
  const [removing, setRemoving] = useState(false);
  const name = nameAmong(model, state.models);
  if (removing) return <Removal model={model} onDone={() => setRemoving(false)} />;
  return (
    <li class="model-item">
      <div class="model">
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
            <Tags state={state} id={model.id} />
          </span>
          <span class="muted">{describe(model)}</span>
        </button>
        <IconButton label={t('models.moreAbout', { name })} expanded={more} onClick={() => setMore(!more)}>
          <MoreIcon />
        </IconButton>
      </div>
      {more && <More state={state} model={model} name={name} onRemove={() => setRemoving(true)} />}
    </li>
  );
}

function Tags({ state: { health, defaultModel }, id }: { state: State; id: string }): JSX.Element {
  const loaded = health?.models.find((model) => model.id === id);
  const moving = health?.moving.find((model) => model.id === id);
  return (
    <>
      {defaultModel === id && <span class="tag">{t('models.forNewChats')}</span>}
      {moving && <span class="tag">{t(`models.${moving.state}`)}</span>}
      {loaded && <span class="tag strong">{t('models.taken', { size: { bytes: loaded.memory } })}</span>}
    </>
  );
}

interface MoreProps {
  state: State;
  model: ListedModel;
  name: string;
  onRemove: () => void;
}

function More({ state, model, name, onRemove }: MoreProps): JSX.Element {
  const { models } = useActions();
  const { id } = model;
  const isLoaded = state.health?.models.some((loaded) => loaded.id === id) ?? false;
  const isMoving = state.health?.moving.some((moving) => moving.id === id) ?? false;
  const isDefault = state.defaultModel === id;
  return (
    <fieldset class="model-more" aria-label={t('models.moreAbout', { name })}>
      {!isLoaded && (
        <button type="button" class="button quiet" disabled={isMoving} onClick={() => void models.load(id)}>
          {t('models.load')}
        </button>
      )}
      {isLoaded && groundOf(state) === 'server' && (
        <button type="button" class="button quiet" disabled={isMoving} onClick={() => void models.unload(id)}>
          {t('models.unload')}
        </button>
      )}
      {canChat(model) && (
        <button
          type="button"
          class="button quiet"
          aria-pressed={isDefault}
          onClick={() => models.setDefault(isDefault ? null : id)}
        >
          {t('models.useForNew')}
        </button>
      )}
      <button type="button" class="button quiet" onClick={onRemove}>
        {t('common.remove')}
      </button>
      {isLoaded && groundOf(state) === 'browser' && <p class="muted">{t('models.oneInBrowser')}</p>}
    </fieldset>
  );
}

function Removal({ model, onDone }: { model: ListedModel; onDone: () => void }): JSX.Element {
  const { models } = useActions();
  return (
    <li class="model removal">
      <p>
        {rich('models.removeFiles', { name: <strong>{model.name}</strong> }, { size: { bytes: model.metadata.size } })}
      </p>
      <div class="row end">
        <button type="button" class="button quiet" onClick={onDone}>
          {t('models.keep')}
        </button>
        <button
          type="button"
          class="button bad"
          onClick={() => {
            onDone();
            void models.remove(model.id);
          }}
        >
          {t('common.remove')}
        </button>
      </div>
    </li>
  );
}

function describe({ id, name, metadata, context_length: contextLength, capabilities }: ListedModel): string {
  const able = (['vision', 'audio', 'tools', 'reasoning'] as const)
    .filter((one) => capabilities[one])
    .map((one) => t(`models.${one}`));
  return [
    ...(id === name ? [] : [id]),
    formatBytes(metadata.size, t.tag),
    t('models.contextOf', { count: contextLength }),
    ...(capabilities.embedding ? [t('models.makesVectors')] : capabilities.rerank ? [t('models.ranks')] : able),
  ].join(' · ');
}
