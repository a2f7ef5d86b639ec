import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Everything that a built file imports when it is loaded, and not on demand: files of ours, and packages. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^(?:import|export) (?:[^;'"]* from )?'([^']+)';$/gm)].map(([, name = '']) =>
    name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
  );
}

/** The packages that are loaded with a file. */
function packagesOf(file: string): string[] {
  const seen = new Set<string>();
  const follow = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    if (name.startsWith('dist')) importsOf(name).forEach(follow);
  };
  follow(file);
  return [...seen].filter((name) => !name.startsWith('dist') && !name.startsWith('node:'));
}

describe('the command line', () => {
  it('loads none of the large dependencies before a command needs them', () => {
    expect(packagesOf('dist/src/cli/program.js').toSorted()).toEqual(['commander', 'picocolors', 'valibot']);
  });

  it('would show them: the server has them all', () => {
    expect(packagesOf('dist/src/serve/serve.js')).toEqual(expect.arrayContaining(['piscina', 'prom-client']));
  });
});
