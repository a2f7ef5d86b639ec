import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListedModel } from '../../../src/contract/models/model.ts';
import type { ShownConversation } from '../conversation/conversation.ts';
import '../messages/later.ts';
import { t } from '../messages/language.ts';
import { EditIcon, TrashIcon } from '../parts/icons.tsx';
import { onEscape } from '../parts/on-escape.ts';
import { IconButton } from '../parts/parts.tsx';
import { useActions } from '../state/use-actions.ts';
import { defaultsFor, type Preset, type Presets, presetsOf, sameSettings } from './presets.ts';

interface PresetsViewProps {
  presets: Presets;
  conversation: ShownConversation;
  model: ListedModel | undefined;
}

/** The stored settings: presets with names, and defaults for new chats with a model. */
export function PresetsView({ presets, conversation, model }: PresetsViewProps): JSX.Element {
  const actions = useActions();
  const [gone, setGone] = useState<Preset | null>(null);
  const all = presetsOf(presets);
  return (
    <details class="field">
      <summary>{t('presets.title')}</summary>
      <div class="presets">
        {all.length > 0 && (
          <ul>
            {all.map((preset) => (
              <PresetRow
                key={preset.id}
                preset={preset}
                used={sameSettings(preset.settings.value, conversation.settings)}
                onRemove={() => {
                  actions.presets.setDeleted(preset, true);
                  setGone(preset);
                }}
              />
            ))}
          </ul>
        )}
        <p class="muted" role="status">
          {gone && (
            <>
              {t('presets.deleted', { name: gone.name.value })}{' '}
              <button
                type="button"
                class="link"
                onClick={() => {
                  actions.presets.setDeleted(gone, false);
                  setGone(null);
                }}
              >
                {t('common.undo')}
              </button>
            </>
          )}
        </p>
        <NewPreset />
        {model && <ForNewChats presets={presets} conversation={conversation} model={model} />}
      </div>
    </details>
  );
}

function PresetRow({ preset, used, onRemove }: { preset: Preset; used: boolean; onRemove: () => void }): JSX.Element {
  const actions = useActions();
  const [renaming, setRenaming] = useState(false);
  const name = preset.name.value;
  if (renaming) {
    return (
      <li class="row">
        <NameForm
          label={t('presets.nameOf', { name })}
          name={name}
          action={t('common.rename')}
          onName={(next) => {
            actions.presets.rename(preset, next);
            setRenaming(false);
          }}
          onCancel={() => setRenaming(false)}
        />
      </li>
    );
  }
  return (
    <li class="row">
      <button
        type="button"
        class="button preset-name"
        aria-pressed={used}
        title={t('presets.use')}
        onClick={() => actions.presets.use(preset)}
      >
        {name}
      </button>
      <IconButton label={t('presets.rename', { name })} onClick={() => setRenaming(true)}>
        <EditIcon />
      </IconButton>
      <IconButton label={t('presets.delete', { name })} onClick={onRemove}>
        <TrashIcon />
      </IconButton>
    </li>
  );
}

function NewPreset(): JSX.Element {
  const actions = useActions();
  return <NameForm label={t('presets.saveAs')} name="" action={t('common.save')} onName={actions.presets.save} />;
}

interface NameFormProps {
  label: string;
  name: string;
  action: string;
  onName: (name: string) => void;
  onCancel?: () => void;
}

/** A field for a name. It stands within the form of the settings, so it can't be a form itself. */
function NameForm({ label, name, action, onName, onCancel }: NameFormProps): JSX.Element {
  const [text, setText] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  // The person has just clicked “Rename”, so the field gets the focus.
  useEffect(() => {
    if (name !== '') field.current?.select();
  }, [name]);
  const leave = onCancel && onEscape(onCancel);
  const give = () => {
    if (text.trim() === '') return;
    onName(text.trim());
    setText('');
  };
  return (
    <div class="row preset-form">
      <input
        ref={field}
        value={text}
        aria-label={label}
        placeholder={label}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          leave?.(event);
          if (event.key !== 'Enter' || event.isComposing) return;
          event.preventDefault();
          give();
        }}
      />
      <button type="button" class="button" disabled={text.trim() === ''} onClick={give}>
        {action}
      </button>
    </div>
  );
}

function ForNewChats({ presets, conversation, model }: PresetsViewProps & { model: ListedModel }): JSX.Element {
  const actions = useActions();
  const known = defaultsFor(presets, model.id);
  const same = known !== null && sameSettings(known, conversation.settings);
  return (
    <label class="preset-default">
      <input
        type="checkbox"
        checked={same}
        onChange={({ currentTarget }) => actions.presets.setDefault(currentTarget.checked)}
      />
      <span>
        {t('presets.forNewChats', { model: model.name })}
        {known && !same && <small class="muted"> {t('presets.othersNow')}</small>}
      </span>
    </label>
  );
}
