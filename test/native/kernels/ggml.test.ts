import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Agreement, Agreements, AloneAgreement, AttentionAgreement } from '../../../benchmarks/kernels/agree.ts';
import type { TextAgreement } from '../../../benchmarks/kernels/log-probabilities.ts';
import { repeats } from '../../support/repeats.ts';
import { PREBUILT, ROOT, UNTESTED_BECAUSE } from './library.ts';

/** The first tokens of the README. */
const TOKENS = repeats(800, 2000);

const AGREE = join(ROOT, 'dist/benchmarks/kernels/agree.js');
const LOG_PROBABILITIES = join(ROOT, 'dist/benchmarks/kernels/log-probabilities.js');

describe.skipIf(UNTESTED_BECAUSE)(`in ggml, the kernels${UNTESTED_BECAUSE ? ` (${UNTESTED_BECAUSE})` : ''}`, () => {
  let agreements: Agreement[] = [];
  let attentions: AttentionAgreement[] = [];
  let alone: AloneAgreement[] = [];
  let setsHere = 0;

  beforeAll(() => {
    const output = execFileSync(process.execPath, [AGREE, PREBUILT], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    ({ products: agreements, attentions, alone } = JSON.parse(output) as Agreements);
    setsHere = agreements.some(({ products }) => products > 0) ? 1 : 0;
  });

  it('compute each product of enough columns once, and no other', () => {
    for (const { type, columns, experts, products } of agreements) {
      if (experts) continue;
      const least = type === 'F16' ? 8 : type === 'BF16' ? 16 : type === 'Q4_K' ? 1 : 2;
      expect({ type, columns, products }).toEqual({ type, columns, products: columns >= least ? setsHere : 0 });
    }
  });

  it('compute the products of the experts that have several columns', () => {
    const ofExperts = agreements.filter(({ experts }) => experts);
    expect(ofExperts.length).toBeGreaterThan(0);
    // Four of the five: the fifth has one column. No expert has enough for BF16.
    for (const { type, products } of ofExperts) {
      const expected = type === 'BF16' ? 0 : 4 * setsHere;
      expect({ type, products }).toEqual({ type, products: expected });
    }
  });

  it('compute attention to heads of a multiple of 32 numbers', () => {
    for (const { depth, attentions: computed } of attentions) {
      expect({ depth, computed }).toEqual({ depth, computed: depth % 32 === 0 ? setsHere : 0 });
    }
  });

  it('compute a token alone as with others, and with the same bits where sums keep one order', () => {
    expect(alone.length).toBeGreaterThan(0);
    // ggml's own, which are used where the processor lacks the instructions, do not.
    for (const { same, difference, ...shape } of setsHere ? alone : []) {
      expect({ ...shape, same }).toEqual({ ...shape, same: true });
      expect(difference, JSON.stringify(shape)).toBeLessThan(1e-6);
    }
    const computedOtherwise = alone.filter(({ difference }) => difference > 0);
    if (setsHere) expect(computedOtherwise.length).toBeGreaterThan(0);
  });

  it("agree with ggml's own", () => {
    for (const { difference, ...shape } of attentions) {
      // For fewer tokens, ggml rounds the queries and the sums to 16 bits; the kernels do not.
      expect(difference, JSON.stringify(shape)).toBeLessThan(shape.tokens >= 64 ? 1e-6 : 5e-3);
    }
    for (const { type, columns, difference } of agreements) {
      // ggml rounds the activations for 16-bit weights to 16 bits; the kernels do not.
      const most = type === 'F16' ? 5e-4 : type === 'BF16' ? 4e-3 : 1e-6;
      expect(difference, `${type}, ${columns} columns`).toBeLessThan(most);
    }
  });

  it('find the tokens of a text as likely as before: the README, read by pico', { timeout: 60_000 }, () => {
    const output = execFileSync(process.execPath, [LOG_PROBABILITIES, '--tokens', String(TOKENS)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { tokens, mean, sameLikeliest, meanLogProbability } = JSON.parse(output) as TextAgreement;
    expect(tokens).toBe(TOKENS);
    // A sum that is rounded otherwise may round an activation to the next of its 255 values: this is what differs.
    expect(mean).toBeLessThan(0.05);
    expect(sameLikeliest).toBeGreaterThan(0.98);
    expect(Math.abs(meanLogProbability.paddock - meanLogProbability.stock)).toBeLessThan(0.01);
  });
});
