import english from './en.json';
import { createTranslate, inEnglish, type Messages, type Translate } from './translate.ts';

interface Language {
  /** What its speakers call it. */
  name: string;
  /** For `Intl` and for `<html lang>`. */
  tag: string;
  load(): Promise<Messages>;
}

/** The languages of the page, by the beginnings of the tags that browsers have for them. */
export const LANGUAGES = {
  en: { name: 'English', tag: 'en', load: async () => english },
  de: { name: 'Deutsch', tag: 'de', load: async () => (await import('./de.json')).default },
  zh: { name: '中文', tag: 'zh-Hans', load: async () => (await import('./zh.json')).default },
} satisfies Record<string, Language>;

export type LanguageId = keyof typeof LANGUAGES;

export function isLanguage(id: string | null): id is LanguageId {
  return id !== null && Object.hasOwn(LANGUAGES, id);
}

/** The first of the languages that a person reads, by the tags of the browser; English if the page speaks none of them. */
export function languageFor(tags: readonly string[]): LanguageId {
  return tags.map((tag) => tag.toLowerCase().replace(/-.*/, '')).find(isLanguage) ?? 'en';
}

/** The words of the page, for what is shown. Modules in `data` are given them. */
export let t: Translate = inEnglish;

const listeners = new Set<() => void>();

/** The language that was asked for last: an earlier one may come later. */
let wanted: LanguageId = 'en';

/** Has the page speak a language. If its file can't be fetched, the page goes on in the one before, at first English. */
export async function speak(id: LanguageId): Promise<void> {
  wanted = id;
  const { tag, load } = LANGUAGES[id];
  const messages = await load().catch(() => null);
  if (!messages || wanted !== id) return;
  t = createTranslate(tag, messages);
  document.documentElement.lang = tag;
  for (const listener of listeners) listener();
}

/** Calls the listener when the page speaks another language. Returns a function that ends this. */
export function onLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
