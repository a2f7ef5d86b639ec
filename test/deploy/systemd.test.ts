// @module-tag slow
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SETTINGS, type Setting } from '../../src/serve/config/settings.ts';

const unit = readFileSync('deploy/systemd/paddock.service', 'utf8');
const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

/** The most that `systemd-analyze security` may find, from 0 (best) to 10. */
const MOST_EXPOSURE = 2;

function hasAnalyze(): boolean {
  return spawnSync('systemd-analyze', ['--version']).status === 0;
}

describe('deploy/systemd/paddock.service', () => {
  it('gives the server time to stop as it wants to', () => {
    const needed = SETTINGS.shutdownGrace.fallback({}) + 3;
    expect(Number(settingOf('TimeoutStopSec'))).toBeGreaterThan(needed);
    expect(settingOf('KillMode')).toBe('mixed');
  });

  it('lets V8 compile', () => {
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m);
  });

  it('sets variables of the server that there are', () => {
    const known = [...Object.values(SETTINGS).map((setting) => (setting as Setting<unknown>).env), 'PADDOCK_HOME'];
    const named = [...unit.matchAll(/\b(PADDOCK_[A-Z_]+[A-Z])\b/g)].map(([, name]) => name as string);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  describe.skipIf(!hasAnalyze())('for systemd-analyze', () => {
    let folder: string;
    let file: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'paddock-systemd-'));
      file = join(folder, 'paddock.service');
      // It looks for the program, which is not installed here.
      writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('is right', () => {
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      expect([status, stderr.split('\n').filter((line) => line.includes('paddock.service'))]).toEqual([0, []]);
    });

    it('would be wrong with an unknown setting', () => {
      const wrong = join(folder, 'wrong.service');
      writeFileSync(wrong, readFileSync(file, 'utf8').replace('NoNewPrivileges=', 'NoNewPrivilges='));
      const { stderr } = spawnSync('systemd-analyze', ['verify', wrong], { encoding: 'utf8' });
      expect(stderr).toContain('NoNewPrivilges');
    });

    it(`is exposed by less than ${MOST_EXPOSURE} of 10`, () => {
      const out = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', file], {
        encoding: 'utf8',
      });
      const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(out)?.[1]);
      expect(exposure).toBeLessThan(MOST_EXPOSURE);
    });
  });
});
