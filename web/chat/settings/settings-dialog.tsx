import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CompareChoice } from '../conversation/compared.tsx';
import type { ShownConversation } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import { shownTitle } from '../messages/shown-title.ts';
import { lazy } from '../parts/lazy.ts';
import { Dialog } from '../parts/parts.tsx';
import { useLazy } from '../parts/use-lazy.ts';
import { useTyped } from '../parts/use-typed.ts';
import { currentConversation, currentHead, currentModel } from '../state/selectors.ts';
import { useActions } from '../state/use-actions.ts';
import { usePick, useSelect } from '../state/use-select.ts';
import { RequestInputs } from './request-inputs.tsx';
import { SamplingInputs } from './sampling-inputs.tsx';
import { NO_SETTINGS } from './settings.ts';
import { SystemPrompt } from './system-prompt.tsx';

const presetsPart = lazy(() => import('../presets/presets-view.tsx'));

interface SettingsDialogProps {
  open: boolean;
  onClose: () => void;
  /** The section about tools. */
  tools: ComponentChildren;
}

/** The settings of the current conversation. Each change takes effect with the next reply. */
export function SettingsDialog(props: SettingsDialogProps): JSX.Element {
  const { open, onClose, tools } = props;
  const conversation = useSelect(currentConversation);
  const model = useSelect(currentModel);
  const second = useSelect((state) => currentHead(state).second?.value ?? null);
  const { presets, models } = usePick('presets', 'models');
  const { conversations } = useActions();
  const { settings } = conversation;
  const part = useLazy(presetsPart, open);
  // A new key makes new fields, without the invalid text that was typed into the old ones.
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

function TitleField({ conversation: { id, title } }: { conversation: ShownConversation }): JSX.Element {
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
