import english from './en.json';
import { createTranslate, inEnglish, type Translate, type Translations } from './translate.ts';

interface Language {
  /** The name of the language, in that language. */
  name: string;
  /** The language tag for `Intl` and for `<html lang>`. */
  tag: string;
  load(): Promise<Partial<Translations>>;
}

/** The languages of the page, by the first part of their language tags. */
export const LANGUAGES = {
  en: { name: 'English', tag: 'en', load: async () => english },
  de: { name: 'Deutsch', tag: 'de', load: async () => (await import('./de.json')).default },
  zh: { name: '中文', tag: 'zh-Hans', load: async () => (await import('./zh.json')).default },
} satisfies Record<string, Language>;

export type LanguageId = keyof typeof LANGUAGES;

export function isLanguage(id: string | null): id is LanguageId {
  return id !== null && Object.hasOwn(LANGUAGES, id);
}

/** Returns the first of the browser's languages that the page has; English if it has none of them. */
export function languageFor(tags: readonly string[]): LanguageId {
  return tags.map((tag) => tag.toLowerCase().replace(/-.*/, '')).find(isLanguage) ?? 'en';
}

/** Translates messages to the language of the page. Views and actions use it; pure functions get it as an argument. */
export let t: Translate = inEnglish;

const listeners = new Set<() => void>();

/** The language that was chosen last. The file of a language that was chosen before may arrive after it. */
let wanted: LanguageId = 'en';

/** Changes the language of the page. If its file can't be fetched, the language stays as it was: English at first. */
export async function setLanguage(id: LanguageId): Promise<void> {
  wanted = id;
  const { tag, load } = LANGUAGES[id];
  const messages = await load().catch(() => null);
  if (!messages || wanted !== id) return;
  t = createTranslate(tag, messages);
  document.documentElement.lang = tag;
  for (const listener of listeners) listener();
}

/** Calls the listener when the language of the page has changed. Returns a function that removes the listener. */
export function onLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
