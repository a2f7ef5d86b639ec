import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { upgradeArguments } from '../../../src/cli/upgrade/installation.ts';
import { versionIn } from '../../../src/cli/upgrade/tarball.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paddock-upgrade-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a tarball of a package with this manifest, behind another file. */
function pack(manifest: object): string {
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package', 'index.js'), `// ${'x'.repeat(700)}`);
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify(manifest));
  const file = join(folder, 'packed.tgz');
  execFileSync('tar', ['-czf', file, '-C', folder, 'package/index.js', 'package/package.json']);
  return file;
}

/** Makes the folder of an installed Paddock. `manifest` is that of the folder around it. */
function installed(place: string, manifest?: object): string {
  const root = join(folder, place, 'node_modules', 'paddock');
  mkdirSync(root, { recursive: true });
  if (manifest) writeFileSync(join(folder, place, 'package.json'), JSON.stringify(manifest));
  return root;
}

describe('the tarball of paddock upgrade', () => {
  it('tells its version', () => {
    expect(versionIn(pack({ name: 'paddock', version: '1.2.3' }))).toBe('1.2.3');
  });

  it('must be of Paddock', () => {
    expect(() => versionIn(pack({ name: 'other', version: '1.2.3' }))).toThrow(/is not a tarball of Paddock/);
  });

  it('must be a tarball', () => {
    const file = join(folder, 'text.tgz');
    writeFileSync(file, 'text');
    expect(() => versionIn(file)).toThrow(/--from .*text\.tgz can't be read: incorrect header check/);
    expect(() => versionIn(join(folder, 'none.tgz'))).toThrow(/can't be read: ENOENT/);
  });
});

describe('paddock upgrade', () => {
  it('installs into the folder of this installation', () => {
    const root = installed('place', { dependencies: { paddock: 'file:x.tgz' } });
    expect(upgradeArguments(root, 'new.tgz')).toEqual([
      'install',
      '--prefix',
      join(folder, 'place'),
      '--no-fund',
      '--no-audit',
      'new.tgz',
    ]);
  });

  it('leaves out the packages that a small installation left out', () => {
    const root = installed('place', { dependencies: { paddock: 'file:x.tgz', '@uwsjs/linux-x64-20': '20.51.4' } });
    expect(upgradeArguments(root, 'new.tgz')).toEqual(expect.arrayContaining(['--omit=optional', '--ignore-scripts']));
  });

  it('replaces a global installation', () => {
    expect(upgradeArguments(installed('usr/lib'), 'new.tgz').slice(0, 4)).toEqual([
      'install',
      '--global',
      '--prefix',
      join(folder, 'usr'),
    ]);
  });

  it('refuses a clone', () => {
    expect(() => upgradeArguments(folder, 'new.tgz')).toThrow(/is a clone, not an installation: git pull/);
  });
});
