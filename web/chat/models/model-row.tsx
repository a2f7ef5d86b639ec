import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedModel } from '../../../src/contract/models/model.ts';
import { t } from '../messages/language.ts';
import { localizeBytes } from '../messages/numbers.ts';
import { MoreIcon } from '../parts/icons.tsx';
import { IconButton } from '../parts/parts.tsx';
import { rich } from '../parts/rich.tsx';
import { groundOf } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import { useActions } from '../state/use-actions.ts';
import { useSelect } from '../state/use-select.ts';
import { canChat, nameAmong } from './model.ts';

interface ModelRowProps {
  model: ListedModel;
  chosen: boolean;
  onChosen: () => void;
}

/** A model in the list. A click chooses it, and a menu has more actions. */
export function ModelRow({ model, chosen, onChosen }: ModelRowProps): JSX.Element {
  const { models } = useActions();
  const [more, setMore] = useState(false);
  const [removing, setRemoving] = useState(false);
  const all = useSelect((state) => state.models);
  const name = nameAmong(model, all);
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
            <Tags id={model.id} />
          </span>
          <span class="muted">{describe(model)}</span>
        </button>
        <IconButton label={t('models.moreAbout', { name })} expanded={more} onClick={() => setMore(!more)}>
          <MoreIcon />
        </IconButton>
      </div>
      {more && <More model={model} name={name} onRemove={() => setRemoving(true)} />}
    </li>
  );
}

/** The signs of a model: default for new chats, loading or unloading, and the memory that it takes. */
function Tags({ id }: { id: string }): JSX.Element {
  const { isDefault, loaded, moving } = useSelect((state) => statusIn(state, id));
  return (
    <>
      {isDefault && <span class="tag">{t('models.forNewChats')}</span>}
      {moving && <span class="tag">{t(`models.${moving.state}`)}</span>}
      {loaded && <span class="tag strong">{t('models.taken', { size: { bytes: loaded.memory } })}</span>}
    </>
  );
}

interface MoreProps {
  model: ListedModel;
  name: string;
  onRemove: () => void;
}

function More({ model, name, onRemove }: MoreProps): JSX.Element {
  const { models } = useActions();
  const { id } = model;
  const { isDefault, loaded, moving } = useSelect((state) => statusIn(state, id));
  const ground = useSelect(groundOf);
  return (
    <fieldset class="model-more" aria-label={t('models.moreAbout', { name })}>
      {!loaded && (
        <button type="button" class="button quiet" disabled={moving !== undefined} onClick={() => void models.load(id)}>
          {t('models.load')}
        </button>
      )}
      {loaded && ground === 'server' && (
        <button
          type="button"
          class="button quiet"
          disabled={moving !== undefined}
          onClick={() => void models.unload(id)}
        >
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
      {loaded && ground === 'browser' && <p class="muted">{t('models.oneInBrowser')}</p>}
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

function statusIn({ health, defaultModel }: State, id: string) {
  return {
    isDefault: defaultModel === id,
    loaded: health?.models.find((model) => model.id === id),
    moving: health?.moving.find((model) => model.id === id),
  };
}

function describe({ id, name, metadata, context_length: contextLength, capabilities }: ListedModel): string {
  const able = (['vision', 'audio', 'tools', 'reasoning'] as const)
    .filter((one) => capabilities[one])
    .map((one) => t(`models.${one}`));
  return [
    ...(id === name ? [] : [id]),
    localizeBytes(metadata.size, t.tag),
    t('models.contextOf', { count: contextLength }),
    ...(capabilities.embedding ? [t('models.makesVectors')] : capabilities.rerank ? [t('models.ranks')] : able),
  ].join(' · ');
}
