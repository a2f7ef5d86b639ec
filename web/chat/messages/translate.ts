import english from './en.json';
import { formatBytes, formatNumber } from './numbers.ts';

type Groups = typeof english;

/** The name of a message: its group and its own name, as in `chats.new`. */
export type Key = { [Group in keyof Groups]: `${Group}.${keyof Groups[Group] & string}` }[keyof Groups];

/** A text with `{placeholders}`, or one for each plural category that the language has, chosen by `{count}`. */
export type Message = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);

/** The messages of a language. Each has all groups and names of the English ones. */
export type Messages = { [Group in keyof Groups]: Record<keyof Groups[Group], Message> };

/** Takes the place of a placeholder. Numbers and sizes are written as the language writes them. */
export type Value = string | number | { bytes: number };
export type Values = Record<string, Value>;

/** A message that is not in words yet. */
export interface Said {
  key: Key;
  values?: Values | undefined;
}

/** Puts messages into the words of one language. */
export interface Translate {
  (key: Key, values?: Values): string;
  /** The tag by which `Intl` knows the language. */
  readonly tag: string;
}

export function createTranslate(tag: string, messages: Messages): Translate {
  const flat = new Map(
    Object.entries<Record<string, Message>>(messages).flatMap(([group, own]) =>
      Object.entries(own).map(([name, message]) => [`${group}.${name}`, message] as const),
    ),
  );
  const plurals = new Intl.PluralRules(tag);
  const write = (value: Value): string => {
    if (typeof value === 'string') return value;
    return typeof value === 'number' ? formatNumber(value, tag) : formatBytes(value.bytes, tag);
  };
  const translate = (key: Key, values: Values = {}): string => {
    const message = flat.get(key) ?? key;
    const text =
      typeof message === 'string' ? message : (message[plurals.select(Number(values.count))] ?? message.other);
    return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
      const value = values[name];
      return value === undefined ? placeholder : write(value);
    });
  };
  return Object.assign(translate, { tag });
}

/** English, which needs no file of its own. */
export const inEnglish: Translate = createTranslate('en', english);

/** Puts into words what may be in words already, such as the name of a file. */
export function say(said: Said | string, t: Translate): string {
  return typeof said === 'string' ? said : t(said.key, said.values);
}
