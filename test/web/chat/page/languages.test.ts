import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STARTER_KINDS } from '../../../../src/contract/models/starter.ts';
import { EFFORTS } from '../../../../src/contract/sampling.ts';
import german from '../../../../web/chat/messages/de.json';
import firstEnglish from '../../../../web/chat/messages/en.json';
import laterEnglish from '../../../../web/chat/messages/en-later.json';
import { LANGUAGES, languageFor } from '../../../../web/chat/messages/language.ts';
import { localizeBytes, localizeList } from '../../../../web/chat/messages/numbers.ts';
import { LocalizedError, problemText } from '../../../../web/chat/messages/problem.ts';
import {
  createTranslate,
  inEnglish,
  type Translation,
  type Translations,
} from '../../../../web/chat/messages/translate.ts';
import chinese from '../../../../web/chat/messages/zh.json';
import { SAMPLING_SETTINGS } from '../../../../web/chat/settings/settings.ts';

const english = { ...firstEnglish, ...laterEnglish };
const FILES: Record<keyof typeof LANGUAGES, Translations> = { en: english, de: german, zh: chinese };

/** All messages of a file, by their keys. */
function flat(messages: Translations): Map<string, Translation> {
  return new Map(
    Object.entries<Record<string, Translation>>(messages).flatMap(([group, own]) =>
      Object.entries(own).map(([name, message]) => [`${group}.${name}`, message] as const),
    ),
  );
}

const formsOf = (message: Translation): string[] => (typeof message === 'string' ? [message] : Object.values(message));

const placeholdersOf = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();

const SOURCES = readdirSync('web/chat', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(join('web/chat', file), 'utf8') }));

describe.each(Object.entries(FILES))('the messages in %s', (id, messages) => {
  const known = flat(english);
  const own = flat(messages);
  const { tag } = LANGUAGES[id as keyof typeof LANGUAGES];

  it('have exactly the keys of the English ones', () => {
    expect([...own.keys()]).toEqual([...known.keys()]);
  });

  it('have the placeholders of the English ones', () => {
    const differing = [...own].filter(([key, message]) => {
      const wanted = formsOf(known.get(key) ?? '').map(placeholdersOf);
      return formsOf(message).some((form) => {
        const given = placeholdersOf(form);
        // A form for one or two may name the number in words.
        const withCount = [...given, 'count'].sort();
        return !wanted.some((names) => [given, withCount].some((one) => one.join() === names.join()));
      });
    });
    expect(differing).toEqual([]);
  });

  it('have a form for each plural category of the language, and no other', () => {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
    const plurals = [...own].filter(([, message]) => typeof message !== 'string');
    expect(plurals.length).toBeGreaterThan(0);
    for (const [key, message] of plurals) {
      expect([key, ...Object.keys(message).sort()]).toEqual([key, ...pluralCategories.toSorted()]);
    }
  });

  it('are said differently from English, but for names and signs', () => {
    const same = [...own].filter(([key, message]) => JSON.stringify(message) === JSON.stringify(known.get(key)));
    if (id !== 'en') expect(same.length).toBeLessThan(own.size / 10);
  });
});

describe('the page', () => {
  it('uses every message', () => {
    const literals = SOURCES.flatMap(({ text }) => [...text.matchAll(/'(\w+\.\w+)'/g)].map(([, key = '']) => key));
    const used = new Set([...literals, ...MADE]);
    expect([...flat(english).keys()].filter((key) => !used.has(key))).toEqual([]);
  });

  it('gives values to the messages that have placeholders', () => {
    const bare = SOURCES.flatMap(({ file, text }) =>
      [...text.matchAll(/\bt\('(\w+\.\w+)'\)/g)].map(([, key = '']) => ({ file, key })),
    );
    const wanting = bare.filter(({ key }) => formsOf(flat(english).get(key) ?? '').some((form) => form.includes('{')));
    expect(bare.length).toBeGreaterThan(200);
    expect(wanting).toEqual([]);
  });

  it('has no words of its own in its view', () => {
    const wordy = SOURCES.filter(({ file }) => file.startsWith('view/')).flatMap(({ file, text }) =>
      [...wordsIn(text)].filter((words) => !SAME_EVERYWHERE.has(words)).map((words) => `${file}: ${words}`),
    );
    expect(wordy).toEqual([]);
  });
});

/** The keys that are made of a name: `models.${state}`, for example. The type check knows that each is there. */
const MADE = [
  ...['image', 'audio', 'text'].flatMap((kind) => [`files.${kind}`, `files.${kind}Count`]),
  ...['queued', 'loading', 'unloading', 'vision', 'audio', 'tools', 'reasoning'].map((name) => `models.${name}`),
  ...STARTER_KINDS.map((kind) => `starters.${kind}`),
  ...EFFORTS.map((effort) => `effort.${effort}`),
  ...SAMPLING_SETTINGS.flatMap(({ label, hint }) => [label, hint]),
  ...[
    'insecure_page',
    'missing_features',
    'storage_denied',
    'not_installed',
    'worker_unreachable',
    'not_controlled',
  ].map((code) => `start.${code}`),
];

/** Examples, names and what only developers read. */
const SAME_EVERYWHERE = new Set([
  'qwen, org/repo, https://…',
  'Bearer …',
  'there is no ActionsContext.Provider above',
  'The frame for diagrams did not load.',
]);

/** What may be words for people in a source: texts between tags, and attributes and strings of several words. */
function* wordsIn(source: string): Generator<string> {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  for (const [, text = ''] of code.matchAll(/>\s*([^<>{}=;()&|]*[a-z]{2,} [^<>{}=;()&|]*)\s*<\//g)) yield text.trim();
  for (const [, text = ''] of code.matchAll(
    /\b(?:label|title|placeholder|alt|hint|aria-label)="([^"]*[A-Za-z]{2,}[^"]*)"/g,
  )) {
    if (!/^(?:https?:|[A-Z]+$)/.test(text)) yield text;
  }
  for (const [, text = ''] of code.matchAll(/['`]([A-Z“][^'`\n]*[a-z] [^'`\n]*)['`]/g)) yield text;
}

describe('a language', () => {
  it('is the first of those that a person reads and the page speaks', () => {
    expect(languageFor(['de-AT', 'en'])).toBe('de');
    expect(languageFor(['fr-FR', 'zh-CN', 'de'])).toBe('zh');
    expect(languageFor(['en-US', 'de'])).toBe('en');
    expect(languageFor(['fr', 'toString'])).toBe('en');
    expect(languageFor([])).toBe('en');
  });

  it('writes numbers, sizes and lists its own way', () => {
    expect(localizeBytes(4_200_000_000, 'de')).toBe('4,2 GB');
    expect(localizeBytes(999, 'zh-Hans')).toBe('999 B');
    expect(localizeList(['a', 'b', 'c'], 'de', 'disjunction')).toBe('a, b oder c');
    const inGerman = createTranslate('de', german);
    expect(inGerman('common.tokens', { count: 1 })).toBe('1 Token');
    expect(inGerman('common.tokens', { count: 12_345 })).toBe('12.345 Tokens');
    expect(inGerman('start.fetching', { part: { bytes: 1_500_000 }, whole: { bytes: 14_000_000 } })).toBe(
      'Geladen: 1,5 MB von 14,0 MB',
    );
    expect(createTranslate('zh-Hans', chinese)('chats.deleted', { count: 1 })).toBe('已删除 1 个对话。');
  });

  it('says what is wrong, whoever found it', () => {
    const problem = new LocalizedError('settings.ownField', { name: 'model' });
    expect(problem.message).toBe('“model” is set by this page.');
    expect(problemText(problem, createTranslate('de', german))).toBe('„model“ setzt diese Seite selbst.');
    expect(problemText(new Error('as a server says it'), inEnglish)).toBe('as a server says it');
  });

  it('takes a value as it is, even if it looks like a placeholder', () => {
    expect(inEnglish('chats.saved', { title: '{title} $&' })).toBe('Saved “{title} $&”.');
  });
});
