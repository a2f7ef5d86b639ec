import { expect } from 'vitest';
import type { ContractCase } from '../suite.ts';
import { chatBody, contentOf, openStream, postChat, readStream, type Target } from '../target.ts';

async function reply(target: Target, more: Record<string, unknown>): Promise<string> {
  const { body } = await postChat(target, chatBody({ temperature: 1, top_k: 0, top_p: 1, max_tokens: 24, ...more }));
  return body.choices[0].message.content;
}

export const samplingCases: ContractCase[] = [
  {
    name: 'gives equal replies for equal seeds, and others for other seeds',
    check: async (target) => {
      const replies = [];
      for (const seed of [7, 7, 8, 9]) replies.push(await reply(target, { seed }));
      expect(replies[1]).toBe(replies[0]);
      expect(new Set(replies).size).toBe(3);
    },
  },
  {
    name: 'gives other replies from call to call without a seed',
    check: async (target) => {
      expect(await reply(target, {})).not.toBe(await reply(target, {}));
    },
  },
  {
    name: 'is greedy at temperature 0, and with top_k 1 or a tiny top_p at any temperature',
    check: async (target) => {
      const greedy = await reply(target, { temperature: 0 });
      expect(await reply(target, { temperature: 0 })).toBe(greedy);
      expect(await reply(target, { top_k: 1, seed: 1 })).toBe(greedy);
      expect(await reply(target, { top_p: 0.0001, seed: 1 })).toBe(greedy);
      expect(await reply(target, { min_p: 1, seed: 1 })).toBe(greedy);
    },
  },
  {
    name: 'forces a token with logit_bias 100, and bans one with -100',
    check: async (target) => {
      // The vocabulary begins with the 256 bytes, so the id of a character's token is its code.
      const forced = await reply(target, { temperature: 0, repeat_penalty: 1, logit_bias: { 33: 100 } });
      expect(forced).toBe('!'.repeat(24));
      const quotes = { temperature: 0, repeat_penalty: 1, max_tokens: 100 };
      expect(await reply(target, quotes)).toContain('"');
      expect(await reply(target, { ...quotes, logit_bias: { 34: -100 } })).not.toContain('"');
    },
  },
  {
    name: 'repeats less under repeat_penalty, presence_penalty and frequency_penalty',
    check: async (target) => {
      // Counts the "!" of replies with different biases towards it. With some of these biases, a small penalty is
      // enough to change the token.
      const occurrences = async (penalty: Record<string, unknown>) => {
        let count = 0;
        for (let bias = 6; bias <= 20; bias += 2) {
          const text = await reply(target, { temperature: 0, repeat_penalty: 1, logit_bias: { 33: bias }, ...penalty });
          count += text.split('!').length - 1;
        }
        return count;
      };
      const unpenalized = await occurrences({});
      for (const penalty of [{ repeat_penalty: 50 }, { presence_penalty: 2 }, { frequency_penalty: 2 }]) {
        expect(await occurrences(penalty), JSON.stringify(penalty)).toBeLessThan(unpenalized);
      }
    },
  },
  {
    name: 'looks back no further than repeat_last_n',
    check: async (target) => {
      const favoured = { temperature: 0, frequency_penalty: 2, repeat_penalty: 1, logit_bias: { 33: 6 } };
      const none = await reply(target, { ...favoured, repeat_last_n: 0 });
      const unpenalized = await reply(target, { ...favoured, frequency_penalty: 0 });
      expect(none).toBe(unpenalized);
      expect(await reply(target, { ...favoured, repeat_last_n: -1 })).not.toBe(none);
    },
  },
  {
    name: 'ends before a stop sequence and never sends a part of it, wherever the tokens split it',
    check: async (target) => {
      const full = await reply(target, { temperature: 0, max_tokens: 60 });
      const characters = [...full];
      // Tries many places of the reply, so that some stop sequences are within one token and others span several.
      for (let start = 2; start < characters.length - 4; start += 7) {
        const stop = characters.slice(start, start + 4).join('');
        const expected = full.slice(0, full.indexOf(stop));
        const body = chatBody({ temperature: 0, top_k: 0, top_p: 1, max_tokens: 60, stop });
        const whole = (await postChat(target, body)).body.choices[0];
        expect(whole).toMatchObject({ message: { content: expected }, finish_reason: 'stop' });
        const events = await readStream(await openStream(target, body));
        expect(contentOf(events)).toBe(expected);
        expect(events.at(-2).choices[0].finish_reason).toBe('stop');
      }
    },
  },
  {
    name: 'takes up to four stop sequences and stops at the first that comes',
    check: async (target) => {
      const full = await reply(target, { temperature: 0, max_tokens: 60 });
      const [early, late] = [full.slice(6, 9), full.slice(20, 24)];
      expect(await reply(target, { temperature: 0, max_tokens: 60, stop: [late, 'never', early, 'ever'] })).toBe(
        full.slice(0, full.indexOf(early)),
      );
    },
  },
  {
    name: 'has mirostat, typical_p and dynamic temperature, seeded and each with an effect',
    check: async (target) => {
      const plain = await reply(target, { seed: 3 });
      for (const more of [
        { mirostat: 1, mirostat_tau: 2 },
        { mirostat: 2, mirostat_tau: 2, mirostat_eta: 0.2 },
        { typical_p: 0.2 },
        { dynatemp_range: 0.9, dynatemp_exponent: 2, temperature: 1.5 },
      ]) {
        const sampled = await reply(target, { seed: 3, ...more });
        expect(await reply(target, { seed: 3, ...more })).toBe(sampled);
        expect(sampled, JSON.stringify(more)).not.toBe(plain);
      }
    },
  },
  {
    name: 'has DRY, XTC and top-n-sigma, seeded and each with an effect, and none where they are off',
    check: async (target) => {
      const plain = await reply(target, { seed: 3 });
      const off = { dry_multiplier: 0, dry_base: 2, xtc_probability: 0, xtc_threshold: 0.2, top_n_sigma: -1 };
      expect(await reply(target, { seed: 3, ...off })).toBe(plain);
      for (const more of [
        { dry_multiplier: 50, dry_allowed_length: 0, dry_penalty_last_n: -1, dry_sequence_breakers: ['~'] },
        { xtc_probability: 1, xtc_threshold: 0.01 },
        { top_n_sigma: 0.2 },
        { top_n_sigma: 1, top_k: 20, xtc_probability: 0.5, xtc_threshold: 0.01, dry_multiplier: 5 },
      ]) {
        const sampled = await reply(target, { seed: 3, ...more });
        expect(await reply(target, { seed: 3, ...more })).toBe(sampled);
        expect(sampled, JSON.stringify(more)).not.toBe(plain);
      }
    },
  },
];
