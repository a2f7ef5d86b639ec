import { isLanguage, type LanguageId, languageFor, setLanguage } from '../messages/language.ts';
import { keepLanguage, onLanguageKept, readLanguage } from '../state/preferences.ts';

/** Returns the language that a person has chosen; otherwise the first of the browser's languages that the page has. */
export function currentLanguage(): LanguageId {
  const chosen = readLanguage();
  return isLanguage(chosen) ? chosen : languageFor(navigator.languages);
}

/** Changes the language of the page, and stores the choice. */
export function chooseLanguage(id: LanguageId): void {
  keepLanguage(id);
  void setLanguage(id);
}

/** Loads the language of the page, and follows the choices of other tabs. Resolves when the language is loaded. */
export async function beginLanguage(): Promise<void> {
  onLanguageKept(() => void setLanguage(currentLanguage()));
  await setLanguage(currentLanguage());
}
