import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CompareChoice } from '../conversation/compared.tsx';
import type { Conversation } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import { shownTitle } from '../messages/shown-title.ts';
import type { ListedModel } from '../models/model.ts';
import { lazy, useLazy } from '../parts/lazy.ts';
import { Dialog } from '../parts/parts.tsx';
import { useTyped } from '../parts/use-typed.ts';
import type { Presets } from '../presets/presets.ts';
import { useActions } from '../state/use-actions.ts';
import { RequestInputs } from './request-inputs.tsx';
import { SamplingInputs } from './sampling-inputs.tsx';
import { NO_SETTINGS } from './settings.ts';
import { SystemPrompt } from './system-prompt.tsx';

const presetsPart = lazy(() => import('../presets/presets-view.tsx'));

interface SettingsDialogProps {
  conversation: Conversation;
  model: ListedModel | undefined;
  presets: Presets;
  models: ListedModel[] | null;
  /** The id of the model whose replies are compared; null for none. */
  second: string | null;
  open: boolean;
  onClose: () => void;
  /** The part about tools. */
  tools: ComponentChildren;
}

/** The settings of this conversation. Each change counts from the next reply on. */
export function SettingsDialog(props: SettingsDialogProps): JSX.Element {
  const { conversation, model, presets, models, second, open, onClose, tools } = props;
  const { conversations } = useActions();
  const { settings } = conversation;
  const part = useLazy(presetsPart, open);
  // What was typed and is not allowed goes with the fields.
  const [resets, setResets] = useState(0);
  const change = conversations.changeSettings;
  return (
    <Dialog title={t('page.settings')} open={open} onClose={onClose}>
      <form class="settings" key={conversation.id} onSubmit={(event) => event.preventDefault()}>
        <TitleField conversation={conversation} />
        {part && <part.PresetsView presets={presets} conversation={conversation} model={model} />}
        <SystemPrompt
          text={settings.system}
          otherwise={model?.settings.system_prompt ?? null}
          onChange={(system) => change({ ...settings, system })}
        />
        <SamplingInputs key={resets} settings={settings} model={model} onChange={change} />
        <RequestInputs settings={settings} onChange={change} />
        <CompareChoice models={models} model={model} second={second} />
        {tools}
        <div class="row spread">
          <button
            type="button"
            class="button quiet"
            onClick={() => {
              change(NO_SETTINGS);
              setResets(resets + 1);
            }}
          >
            {t('settings.resetAll')}
          </button>
          <button type="button" class="button primary" onClick={onClose}>
            {t('settings.done')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function TitleField({ conversation: { id, title } }: Pick<SettingsDialogProps, 'conversation'>): JSX.Element {
  const { conversations } = useActions();
  const typed = useTyped(shownTitle(title));
  return (
    <label class="field">
      <span>{t('settings.titleField')}</span>
      <input
        value={typed.shown}
        onInput={({ currentTarget }) => typed.type(currentTarget.value)}
        onChange={({ currentTarget }) => {
          typed.done();
          conversations.rename(id, currentTarget.value.trim() || title);
        }}
      />
    </label>
  );
}
