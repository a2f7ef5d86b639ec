import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Locked {
  version?: string;
  integrity?: string;
  optional?: boolean;
  resolved?: string;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
const entries = Object.entries(packages).filter(([path]) => path !== '');

/** Binaries for other platforms than the one on which the lock was made. Their hashes could not be had there. */
const WITHOUT_HASH = /^node_modules\/(?:uWebSockets\.js-next\/node_modules\/)?@(?:uwsjs|node-llama-cpp)\/[\w-]+$/;
/** The number of these. Lower it when a hash is added. */
const MOST_WITHOUT_HASH = 40;

describe('the lock of the packages', () => {
  it('has a hash for each package, except for 40 optional binaries of other platforms', () => {
    const without = entries.filter(([, { integrity }]) => integrity === undefined);
    for (const [path, { optional }] of without) {
      expect(path).toMatch(WITHOUT_HASH);
      expect(optional, path).toBe(true);
    }
    expect(without).toHaveLength(MOST_WITHOUT_HASH);
  });

  it('has no weak hashes', () => {
    for (const [path, { integrity }] of entries)
      if (integrity !== undefined) expect(integrity, path).toMatch(/^sha512-/);
  });

  it('names no host', () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
