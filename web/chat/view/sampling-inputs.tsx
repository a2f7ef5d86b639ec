import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedModel } from '../data/model.ts';
import {
  EFFORTS,
  type Effort,
  FIRST_FIELDS,
  OTHER_FIELDS,
  readSampling,
  type SamplingField,
  type Settings,
  withSampling,
} from '../data/settings.ts';

interface SamplingInputsProps {
  settings: Settings;
  model: ListedModel | undefined;
  onChange: (settings: Settings) => void;
}

/** How the model chooses its words: what most people look for, and the rest folded away. */
export function SamplingInputs(props: SamplingInputsProps): JSX.Element {
  const { settings, model, onChange } = props;
  const draw = (field: SamplingField) => <SamplingInput key={field.name} field={field} {...props} />;
  return (
    <>
      <fieldset class="fields">
        <legend>Replies</legend>
        {FIRST_FIELDS.map(draw)}
        {(model?.capabilities.reasoning || settings.effort) && (
          <EffortChoice
            effort={settings.effort}
            onChange={(effort) => {
              const { effort: _, ...others } = settings;
              onChange(effort ? { ...others, effort } : others);
            }}
          />
        )}
      </fieldset>
      <details class="field" open={OTHER_FIELDS.some(({ name }) => settings.sampling[name] !== undefined)}>
        <summary>More about sampling</summary>
        <div class="fields">
          <p class="muted">An empty field is the value that it shows.</p>
          {OTHER_FIELDS.map(draw)}
        </div>
      </details>
    </>
  );
}

function SamplingInput({ field, settings, model, onChange }: SamplingInputsProps & { field: SamplingField }) {
  const { name, label, hint, min, max, step, otherwise } = field;
  const [wrong, setWrong] = useState(false);
  const own = { ...model?.settings, ...model?.parameters } as Record<string, unknown>;
  return (
    <div class="field">
      <label for={`setting-${name}`}>{label}</label>
      <input
        id={`setting-${name}`}
        type="number"
        inputMode="decimal"
        step={step === 1 ? 1 : 'any'}
        min={min}
        max={max ?? undefined}
        value={settings.sampling[name] ?? ''}
        placeholder={typeof own[name] === 'number' ? String(own[name]) : otherwise}
        aria-invalid={wrong}
        aria-describedby={`${name}-hint`}
        onChange={({ currentTarget }) => {
          const value = currentTarget.validity.badInput ? null : readSampling(field, currentTarget.value);
          setWrong(value === null);
          if (value !== null) onChange(withSampling(settings, name, value));
        }}
      />
      <small id={`${name}-hint`} class={wrong ? 'problem' : 'muted'}>
        {wrong ? `from ${min}${max === null ? '' : ` to ${max}`}${step === 1 ? ', whole' : ''}` : hint}
      </small>
    </div>
  );
}

const EFFORT_WORDS: Record<Effort, string> = {
  none: 'not at all',
  minimal: 'very little',
  low: 'little',
  medium: 'some',
  high: 'much',
  xhigh: 'very much',
};

interface EffortChoiceProps {
  effort: Effort | undefined;
  onChange: (effort: Effort | undefined) => void;
}

function EffortChoice({ effort, onChange }: EffortChoiceProps): JSX.Element {
  return (
    <div class="field">
      <label for="setting-effort">Thinking</label>
      <select
        id="setting-effort"
        value={effort ?? ''}
        onChange={({ currentTarget: { value } }) => onChange(EFFORTS.find((one) => one === value))}
      >
        <option value="">as it likes</option>
        {EFFORTS.map((one) => (
          <option key={one} value={one}>
            {EFFORT_WORDS[one]}
          </option>
        ))}
      </select>
      <small class="muted">before the answer</small>
    </div>
  );
}
