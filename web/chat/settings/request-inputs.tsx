import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { lazy } from '../parts/lazy.ts';
import { useLazy } from '../parts/use-lazy.ts';
import { readMore, readSchema, readStop, type Settings } from './settings.ts';
import { problemOf, TextSetting } from './text-setting.tsx';

interface RequestInputsProps {
  settings: Settings;
  onChange: (settings: Settings) => void;
}

/** This module contains the schema of the whole API, so it is fetched only when a person types a field. */
const check = lazy(() => import('./more-fields.ts'));

/** Inputs for advanced fields of the request. */
export function RequestInputs({ settings, onChange }: RequestInputsProps): JSX.Element {
  const { stop = '', schema = '', more = '' } = settings;
  const api = useLazy(check, more.trim() !== '');
  const problemOfMore = problemOf(() => readMore(more)) ?? api?.problemOfFields(readMore(more), t) ?? null;
  return (
    <details class="field" open={[stop, schema, more].some((text) => text !== '')}>
      <summary>{t('settings.form')}</summary>
      <div class="settings">
        <TextSetting
          name="stop"
          label={t('settings.stopAt')}
          hint={t('settings.stopHint')}
          text={stop}
          placeholder="END"
          problem={problemOf(() => readStop(stop))}
          onChange={(text) => onChange({ ...settings, stop: text })}
        />
        <TextSetting
          name="schema"
          label={t('settings.schema')}
          hint={t('settings.schemaHint')}
          text={schema}
          placeholder={'{"type": "object", "properties": {…}}'}
          problem={problemOf(() => readSchema(schema))}
          onChange={(text) => onChange({ ...settings, schema: text })}
        />
        <TextSetting
          name="more"
          label={t('settings.more')}
          hint={t('settings.moreHint')}
          text={more}
          placeholder={'{"logit_bias": {"15043": -100}}'}
          problem={problemOfMore}
          onChange={(text) => onChange({ ...settings, more: text })}
        />
      </div>
    </details>
  );
}
