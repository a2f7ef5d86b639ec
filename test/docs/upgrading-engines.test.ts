import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPages, rowsOf } from './markdown.ts';

const [page] = readPages('docs').filter(({ path }) => path === 'docs/upgrading-engines.md');
if (!page) throw new Error('docs/upgrading-engines.md is not there');

/** The last cell of each row that names a test: its file, and its name within quotation marks. */
const named = rowsOf(page)
  .map((row) => /^`(test\/[\w./-]+)`: "(.+)"$/.exec(row.at(-1) ?? ''))
  .flatMap((found) => (found ? [{ file: found[1] as string, name: found[2] as string }] : []));

/** The names that the engines' code gets at past their types. */
function privateNames(): string[] {
  const files = readdirSync('src/engine', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const code = files.map((name) => readFileSync(join('src/engine', name), 'utf8')).join('\n');
  return [...code.matchAll(/Reflect\.get\(\w+, '(\w+)'\)/g)].map(([, name = '']) => name);
}

describe('docs/upgrading-engines.md', () => {
  it('names tests that there are', () => {
    expect(named.length).toBeGreaterThan(20);
    const lost = named.filter(({ file, name }) => {
      if (!existsSync(file)) return true;
      const text = readFileSync(file, 'utf8');
      return ![`'${name}'`, `"${name}"`].some((title) => text.includes(title));
    });
    expect(lost).toEqual([]);
  });

  it('need not name private fields: the engines read none past the types', () => {
    expect(privateNames()).toEqual([]);
  });

  it('says the versions that are installed', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const versions = ['node-llama-cpp', '@wllama/wllama', '@wllama/wllama-compat'].map((name) => dependencies[name]);
    expect(versions.filter((version) => !page.text.includes(`Version ${version}`))).toEqual([]);
    expect(versions[1]).toBe(versions[2]);
  });
});
