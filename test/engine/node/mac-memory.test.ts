import { freemem } from 'node:os';
import { expect, it } from 'vitest';
import { availableOnMac, heldOnMac } from '../../../src/engine/node/mac-memory.ts';

const MIB = 2 ** 20;

/** As a Mac with 16 GiB prints it. */
const VM_STAT = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                                6400.
Pages active:                            312000.
Pages inactive:                          320000.
Pages speculative:                         3200.
Pages throttled:                              0.
Pages wired down:                        150000.
Pages purgeable:                          12000.
"Translation faults":                8667427138.
`;

it('counts what a Mac can drop at once as memory that can be had', () => {
  expect(availableOnMac(() => VM_STAT) / MIB).toBe((6400 + 320_000 + 3200) / 64);
});

it('falls back on what Node tells', () => {
  const bytes = availableOnMac(() => 'vm_stat: not found');
  expect(bytes).toBeGreaterThan(freemem() / 2);
  expect(bytes).toBeLessThan(freemem() * 2);
});

it('sums up what other processes hold, and asks for none where there are none', () => {
  const asked: string[][] = [];
  const run = (tool: string, args: string[]) => {
    asked.push([tool, ...args]);
    return ' 1024\n 2048\n';
  };
  expect(heldOnMac([12, 34], run)).toBe(3 * MIB);
  expect(heldOnMac([], run)).toBe(0);
  expect(asked).toEqual([['ps', '-o', 'rss=', '-p', '12,34']]);
});
