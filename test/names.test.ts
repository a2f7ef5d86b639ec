import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The names that two files may export, each with its reason. A name that is no longer exported twice must leave this list. */
const ALLOWED: Record<string, string> = {
  fetchMediaFile:
    'the media readers of Node and of the browser take it: one checks addresses, the other is kept in by the browser',
  fetchModel:
    'the shared puller takes it: Node moves files into the models folder, the browser into its private file system',
  toApiRequest: 'the request for the API, made of an HTTP exchange on Node and of a `Request` in the service worker',
  toPng: 'the media readers of Node and of the browser take it: sharp decodes on Node, a canvas in the browser',
};

/** Words that the retry policy had before it got the field's own: retry, crash, failure. */
const OLD_WORDS = /\b(?:suspicions?|strikes?|probation|guilty|culprits?|deeds?|innocent)\b/;

interface SourceFile {
  file: string;
  text: string;
}

function readFiles(folder: string, ending: RegExp): SourceFile[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name) && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}

function exportedNames(text: string): Set<string> {
  const declarations =
    /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
  return new Set([...text.matchAll(declarations)].map(([, name = '']) => name));
}

/** Returns the names that more than one file declares and exports, each with these files. */
function findDoubles(files: SourceFile[]): Record<string, string[]> {
  const filesOfName = new Map<string, string[]>();
  for (const { file, text } of files) {
    for (const name of exportedNames(text)) filesOfName.set(name, [...(filesOfName.get(name) ?? []), file]);
  }
  return Object.fromEntries([...filesOfName].filter(([, { length }]) => length > 1));
}

/** Returns the lines that have an old word, also as a part of a name such as `isGuilty`. */
function findOldWords(files: SourceFile[]): string[] {
  return files.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, index) => {
      const words = line
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .replaceAll('_', ' ')
        .toLowerCase();
      return OLD_WORDS.test(words) ? [`${file}:${index + 1}: ${line.trim()}`] : [];
    }),
  );
}

const SOURCES = ['src', 'web', 'workers'];

describe('an exported name', () => {
  const doubles = findDoubles(SOURCES.flatMap((folder) => readFiles(folder, /\.tsx?$/)));

  it('is declared in one file alone', () => {
    expect(Object.fromEntries(Object.entries(doubles).filter(([name]) => !(name in ALLOWED)))).toEqual({});
  });

  it.each(Object.keys(ALLOWED))('%s is declared in two files, as the list of allowed names says', (name) => {
    expect(doubles[name]).toHaveLength(2);
  });

  it('would be found in a second file, whatever it declares', () => {
    const files = [
      { file: 'a.ts', text: 'export interface Place {\n}\nexport async function* load() {}\nexport const ONE = 1;\n' },
      { file: 'b.ts', text: "export type Place = string;\nexport { ONE } from './a.ts';\nfunction load() {}\n" },
      { file: 'c.tsx', text: 'export function load(): void {}\nexport abstract class Two {}\nexport enum Two {}\n' },
    ];
    expect(findDoubles(files)).toEqual({ Place: ['a.ts', 'b.ts'], load: ['a.ts', 'c.tsx'] });
  });
});

describe('the retry policy', () => {
  it('is told in the words of the field, in code, comments and documents', () => {
    const files = [...SOURCES, 'docs'].flatMap((folder) => readFiles(folder, /\.(?:tsx?|css|html|md)$/));
    expect(files.length).toBeGreaterThan(100);
    expect(findOldWords(files)).toEqual([]);
  });

  it('would be found with an old word', () => {
    const text = 'const isGuilty = true;\n// Indeed, a striking line.\n// Three strikes.\nconst MOST_STRIKES = 3;\n';
    expect(findOldWords([{ file: 'a.ts', text }])).toEqual([
      'a.ts:1: const isGuilty = true;',
      'a.ts:3: // Three strikes.',
      'a.ts:4: const MOST_STRIKES = 3;',
    ]);
  });
});
