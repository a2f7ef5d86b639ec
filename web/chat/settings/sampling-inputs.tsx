import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedModel } from '../../../src/contract/models/model.ts';
import { EFFORTS } from '../../../src/contract/sampling.ts';
import { t } from '../messages/language.ts';
import { translateSaid } from '../messages/translate.ts';
import { useTyped } from '../parts/use-typed.ts';
import {
  type Effort,
  FIRST_FIELDS,
  OTHER_FIELDS,
  readSampling,
  type SamplingSetting,
  type Settings,
  withSampling,
} from './settings.ts';

interface SamplingInputsProps {
  settings: Settings;
  model: ListedModel | undefined;
  onChange: (settings: Settings) => void;
}

/** Inputs for the sampler: the common ones first, and the rest collapsed. */
export function SamplingInputs(props: SamplingInputsProps): JSX.Element {
  const { settings, model, onChange } = props;
  const draw = (field: SamplingSetting) => <SamplingInput key={field.name} field={field} {...props} />;
  return (
    <>
      <fieldset class="fields">
        <legend>{t('settings.replies')}</legend>
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
        <summary>{t('settings.moreSampling')}</summary>
        <div class="fields">
          <p class="muted">{t('settings.emptyField')}</p>
          {OTHER_FIELDS.map(draw)}
        </div>
      </details>
    </>
  );
}

function SamplingInput({ field, settings, model, onChange }: SamplingInputsProps & { field: SamplingSetting }) {
  const { name, label, hint, min, max, whole, otherwise } = field;
  const [wrong, setWrong] = useState(false);
  const typed = useTyped(String(settings.sampling[name] ?? ''));
  const own = { ...model?.settings, ...model?.parameters } as Record<string, unknown>;
  return (
    <div class="field">
      <label for={`setting-${name}`}>{t(label)}</label>
      <input
        id={`setting-${name}`}
        type="number"
        inputMode="decimal"
        step={whole ? 1 : 'any'}
        min={min}
        max={max ?? undefined}
        value={typed.shown}
        placeholder={typeof own[name] === 'number' ? String(own[name]) : translateSaid(otherwise, t)}
        aria-invalid={wrong}
        aria-describedby={`${name}-hint`}
        onInput={({ currentTarget }) => typed.type(currentTarget.value)}
        onChange={({ currentTarget }) => {
          const value = currentTarget.validity.badInput ? null : readSampling(field, currentTarget.value);
          setWrong(value === null);
          if (value === null) return;
          typed.done();
          onChange(withSampling(settings, name, value));
        }}
      />
      <small id={`${name}-hint`} class={wrong ? 'problem' : 'muted'}>
        {wrong ? rangeOf(field) : t(hint)}
      </small>
    </div>
  );
}

function rangeOf({ min, max, whole }: SamplingSetting): string {
  const range = max === null ? t('settings.from', { min }) : t('settings.fromTo', { min, max });
  return whole ? t('settings.whole', { range }) : range;
}

interface EffortChoiceProps {
  effort: Effort | undefined;
  onChange: (effort: Effort | undefined) => void;
}

function EffortChoice({ effort, onChange }: EffortChoiceProps): JSX.Element {
  return (
    <div class="field">
      <label for="setting-effort">{t('settings.thinking')}</label>
      <select
        id="setting-effort"
        value={effort ?? ''}
        onChange={({ currentTarget: { value } }) => onChange(EFFORTS.find((one) => one === value))}
      >
        <option value="">{t('settings.asItLikes')}</option>
        {EFFORTS.map((one) => (
          <option key={one} value={one}>
            {t(`effort.${one}`)}
          </option>
        ))}
      </select>
      <small class="muted">{t('settings.thinkingHint')}</small>
    </div>
  );
}
