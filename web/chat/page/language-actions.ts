import { isLanguage, type LanguageId, languageFor, speak } from '../messages/language.ts';
import { keepLanguage, onLanguageKept, readLanguage } from '../state/preferences.ts';

/** The language that a person has chosen, or else the first one of the browser's that the page speaks. */
export function currentLanguage(): LanguageId {
  const chosen = readLanguage();
  return isLanguage(chosen) ? chosen : languageFor(navigator.languages);
}

export function chooseLanguage(id: LanguageId): void {
  keepLanguage(id);
  void speak(id);
}

/** Has the page speak its language, and follow when another tab chooses one. Resolves when the words are there. */
export async function beginLanguage(): Promise<void> {
  onLanguageKept(() => void speak(currentLanguage()));
  await speak(currentLanguage());
}
