import type { JSX } from 'preact';
import { readMore, readSchema, readStop, type Settings } from '../data/settings.ts';
import { lazy, useLazy } from './lazy.ts';
import { problemOf, TextSetting } from './text-setting.tsx';

interface RequestInputsProps {
  settings: Settings;
  onChange: (settings: Settings) => void;
}

/** It knows all fields of the API, so it is fetched only when somebody writes some. */
const check = lazy(() => import('../data/more-fields.ts'));

/** What else a request can have, for those who know it. */
export function RequestInputs({ settings, onChange }: RequestInputsProps): JSX.Element {
  const { stop = '', schema = '', more = '' } = settings;
  const api = useLazy(check, more.trim() !== '');
  const problemOfMore = problemOf(() => readMore(more)) ?? api?.problemOfFields(readMore(more)) ?? null;
  return (
    <details class="field" open={[stop, schema, more].some((text) => text !== '')}>
      <summary>Form of the replies</summary>
      <div class="settings">
        <TextSetting
          label="Stop at"
          hint="A reply ends before any of these texts: one on each line, four at most."
          text={stop}
          placeholder="END"
          problem={problemOf(() => readStop(stop))}
          onChange={(text) => onChange({ ...settings, stop: text })}
        />
        <TextSetting
          label="JSON schema"
          hint="Each reply is JSON of this schema. Such a reply can’t be continued."
          text={schema}
          placeholder={'{"type": "object", "properties": {…}}'}
          problem={problemOf(() => readSchema(schema))}
          onChange={(text) => onChange({ ...settings, schema: text })}
        />
        <TextSetting
          label="More fields, as JSON"
          hint="They are added to each request, and come before all that is set above."
          text={more}
          placeholder={'{"logit_bias": {"15043": -100}}'}
          problem={problemOfMore}
          onChange={(text) => onChange({ ...settings, more: text })}
        />
      </div>
    </details>
  );
}
