import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { licencesText } from '../../../web/build/licences.ts';

/** What is built, and not served. */
const TOOLS = ['vite'];

/** The packages that the sources of the site import, types aside. */
async function importedPackages(): Promise<string[]> {
  const files = (await readdir('web', { recursive: true })).filter((file) => /\.tsx?$/.test(file));
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join('web', file), 'utf8');
      return [...text.matchAll(/(?:^import (?!type\b)[^;]*?from |^import |\bimport\()'((?:@[\w-]+\/)?[a-z][\w.-]*)/gm)];
    }),
  );
  const names = new Set(found.flat().map(([, name = '']) => name));
  return [...names].filter((name) => name !== 'node' && !TOOLS.includes(name)).sort();
}

describe('the licences of the site', () => {
  it('name every library that its sources import, and what comes with them', async () => {
    const text = await readFile('dist-web/licences.txt', 'utf8');
    const imported = await importedPackages();
    expect(imported).toContain('preact');
    const more = ['highlight.js', 'llama.cpp', '@wllama/wllama-compat', 'character tables of pdfjs-dist', 'dompurify'];
    for (const name of [...imported, ...more]) expect(text).toMatch(new RegExp(`^${name}[, ][^\\n]*\\(.+\\)$`, 'm'));
    expect(text).toContain('Permission is hereby granted, free of charge');
  });

  it('name a package once, with its text, or say that it has none', () => {
    const preact = { name: 'preact', version: '11.0.0', identifier: 'MIT', text: '\nWords of a licence.\n' };
    const text = licencesText([{ name: 'zod', version: '1.0.0', identifier: 'MIT' }, preact, preact]);
    expect(text.split('preact')).toHaveLength(2);
    expect(text.indexOf('preact 11.0.0 (MIT)\n\nWords of a licence.')).toBeGreaterThan(0);
    expect(text).toContain('zod 1.0.0 (MIT)\n\nIts package has no file with the text of MIT.');
  });
});
