import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Conversation } from '../data/conversation.ts';
import type { ListedModel } from '../data/model.ts';
import {
  NO_SETTINGS,
  readSampling,
  readTools,
  SAMPLING_FIELDS,
  type SamplingField,
  type Settings,
  withSampling,
} from '../data/settings.ts';
import { useActions } from './actions.ts';
import { Dialog } from './parts.tsx';

interface SettingsDialogProps {
  conversation: Conversation;
  model: ListedModel | undefined;
  open: boolean;
  onClose: () => void;
}

/** The settings of this conversation. Each change counts from the next reply on. */
export function SettingsDialog({ conversation, model, open, onClose }: SettingsDialogProps): JSX.Element {
  const { conversations } = useActions();
  const { settings } = conversation;
  const change = conversations.changeSettings;
  return (
    <Dialog title="Settings of this chat" open={open} onClose={onClose}>
      <form class="settings" key={conversation.id} onSubmit={(event) => event.preventDefault()}>
        <label class="field">
          <span>Title</span>
          <input
            value={conversation.title}
            onChange={({ currentTarget }) =>
              conversations.rename(conversation.id, currentTarget.value.trim() || conversation.title)
            }
          />
        </label>
        <label class="field">
          <span>System prompt</span>
          <textarea
            rows={4}
            value={settings.system}
            placeholder={model?.settings.system_prompt ?? 'Who the model is and how it answers'}
            onInput={({ currentTarget }) => change({ ...settings, system: currentTarget.value })}
          />
        </label>
        <fieldset class="fields">
          <legend>Sampling</legend>
          <p class="muted">An empty field is the model’s own default.</p>
          {SAMPLING_FIELDS.map((field) => (
            <SamplingInput key={field.name} field={field} settings={settings} model={model} />
          ))}
        </fieldset>
        <ToolsInput settings={settings} />
        <div class="row spread">
          <button type="button" class="button quiet" onClick={() => change(NO_SETTINGS)}>
            Reset all
          </button>
          <button type="button" class="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface SamplingInputProps {
  field: SamplingField;
  settings: Settings;
  model: ListedModel | undefined;
}

function SamplingInput({ field, settings, model }: SamplingInputProps): JSX.Element {
  const { conversations } = useActions();
  const { name, label, hint, min, max, step } = field;
  const [wrong, setWrong] = useState(false);
  const own = { ...model?.settings, ...model?.parameters } as Record<string, unknown>;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        inputMode="decimal"
        step={step === 1 ? 1 : 'any'}
        min={min}
        max={max ?? undefined}
        value={settings.sampling[name] ?? ''}
        placeholder={typeof own[name] === 'number' ? String(own[name]) : name === 'seed' ? 'random' : 'default'}
        aria-invalid={wrong}
        aria-describedby={`${name}-hint`}
        onChange={({ currentTarget }) => {
          const value = currentTarget.validity.badInput ? null : readSampling(field, currentTarget.value);
          setWrong(value === null);
          if (value !== null) conversations.changeSettings(withSampling(settings, name, value));
        }}
      />
      <small id={`${name}-hint`} class={wrong ? 'problem' : 'muted'}>
        {wrong ? `from ${min}${max === null ? '' : ` to ${max}`}${step === 1 ? ', whole' : ''}` : hint}
      </small>
    </label>
  );
}

function ToolsInput({ settings }: { settings: Settings }): JSX.Element {
  const { conversations } = useActions();
  const problem = problemOf(settings.tools);
  return (
    <details class="field" open={settings.tools !== ''}>
      <summary>Tools</summary>
      <textarea
        rows={5}
        class="code"
        spellcheck={false}
        value={settings.tools}
        aria-label="Tools, as JSON"
        aria-invalid={problem !== null}
        placeholder={'[{"type": "function", "function": {"name": "get_weather", …}}]'}
        onInput={({ currentTarget }) => conversations.changeSettings({ ...settings, tools: currentTarget.value })}
      />
      <small class={problem === null ? 'muted' : 'problem'}>
        {problem ?? 'OpenAI’s tools, as JSON. The model’s calls are shown, and you say what the tool answers.'}
      </small>
    </details>
  );
}

function problemOf(tools: string): string | null {
  try {
    readTools(tools);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
