import { describe, expect, it } from 'vitest';
import { formatBytes } from '../../src/utils/bytes.ts';

const MIB = 2 ** 20;

describe('bytes for people', () => {
  it.each([
    [0, '0 B'],
    [1, '1 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [1234, '1.2 kB'],
    [99_940, '99.9 kB'],
    [99_950, '100 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [5_004_320, '5.0 MB'],
    [999_600_000, '1.0 GB'],
    [4_661_212_096, '4.7 GB'],
    [2.7e12, '2.7 TB'],
    [5e15, '5000 TB'],
  ])('are in decimal units: %d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it.each([
    [1023 * MIB, '1.1 GB'],
    [1024 * MIB, '1.1 GB'],
    [9.34 * 1024 * MIB, '10.0 GB'],
  ])('are decimal for memory as well: %d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});
