import type { JSX } from 'preact';
import { LANGUAGES, type LanguageId, t } from '../messages/language.ts';
import { chooseLanguage, currentLanguage } from './language-actions.ts';

/** Chooses the language of the page. Each language is listed by its own name. */
export function LanguageChoice(): JSX.Element {
  return (
    <select
      class="language-choice"
      aria-label={t('page.language')}
      title={t('page.language')}
      value={currentLanguage()}
      onChange={({ currentTarget: { value } }) => chooseLanguage(value as LanguageId)}
    >
      {Object.entries(LANGUAGES).map(([id, { name, tag }]) => (
        <option key={id} value={id} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}
