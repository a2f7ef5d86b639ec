import english from './en.json';
import type later from './en-later.json';
import { localizeBytes, localizeNumber } from './numbers.ts';

type Groups = typeof english & typeof later;

/** The name of a message: its group and its own name, as in `chats.new`. */
export type MessageKey = { [Group in keyof Groups]: `${Group}.${keyof Groups[Group] & string}` }[keyof Groups];

/** A text with `{placeholders}`, or a text for each plural category of the language, chosen by `{count}`. */
export type Translation = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);

/** The messages of a language. Every language has the groups and names of the English messages. */
export type Translations = { [Group in keyof Groups]: Record<keyof Groups[Group], Translation> };

/** The value of a placeholder. Numbers and sizes are written in the notation of the language. */
export type Value = string | number | { bytes: number };
export type Values = Record<string, Value>;

/** A message that is not translated yet: its key and its values. */
export interface Said {
  key: MessageKey;
  values?: Values | undefined;
}

/** Translates messages to one language. */
export interface Translate {
  (key: MessageKey, values?: Values): string;
  /** The language tag for `Intl`. */
  readonly tag: string;
}

/** The messages of English that parts of the page bring with them. The other languages have them in their files. */
const laterMessages = new Map<string, Translation>();

/** Adds English messages, which a part of the page needs that is loaded later. */
export function addEnglish(messages: Partial<Translations>): void {
  addTo(laterMessages, messages);
}

function addTo(flat: Map<string, Translation>, messages: Partial<Translations>): Map<string, Translation> {
  for (const [group, own] of Object.entries<Record<string, Translation>>(messages))
    for (const [name, message] of Object.entries(own)) flat.set(`${group}.${name}`, message);
  return flat;
}

/** Returns the translation function of a language. `tag` is its language tag. */
export function createTranslate(tag: string, messages: Partial<Translations>): Translate {
  const flat = addTo(new Map(), messages);
  const plurals = new Intl.PluralRules(tag);
  const write = (value: Value): string => {
    if (typeof value === 'string') return value;
    return typeof value === 'number' ? localizeNumber(value, tag) : localizeBytes(value.bytes, tag);
  };
  const translate = (key: MessageKey, values: Values = {}): string => {
    const message = flat.get(key) ?? laterMessages.get(key) ?? key;
    const text =
      typeof message === 'string' ? message : (message[plurals.select(Number(values.count))] ?? message.other);
    return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
      const value = values[name];
      return value === undefined ? placeholder : write(value);
    });
  };
  return Object.assign(translate, { tag });
}

/** English, which is part of the first load. */
export const inEnglish: Translate = createTranslate('en', english);

/** Translates a message. A string is returned as it is, for example the name of a file. */
export function translateSaid(said: Said | string, t: Translate): string {
  return typeof said === 'string' ? said : t(said.key, said.values);
}
