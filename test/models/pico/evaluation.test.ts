import { describe, expect, it } from 'vitest';
import { createAsk } from '../../../models/pico/ask.ts';
import { readCases } from '../../../models/pico/cases.ts';
import { judge } from '../../../models/pico/judge.ts';
import { repeats } from '../../support/repeats.ts';
import { servePico } from './pico.ts';

/** Each engine has a part of the whole evaluation, `npm run pico:evaluate`: every so many cases, so that all groups are in it. */
const SAMPLES = [
  { backend: 'cpu', every: repeats(10, 5) },
  { backend: 'wasm', every: 10 },
] as const;

/** Of all cases it has 90% right; a part of them may be a few off. */
const RIGHT_AT_LEAST = 0.85;

describe.each(SAMPLES)('pico on $backend', async ({ backend, every }) => {
  const sample = readCases().filter((_, index) => index % every === 0);
  const url = await servePico(backend);
  const ask = createAsk(url);

  it('answers most questions that it was not trained on', { timeout: 300_000 }, async () => {
    const wrong: string[] = [];
    for (const one of sample) {
      const { right, reply } = await judge(ask, one);
      if (!right) wrong.push(`${one.user.join(' / ')}: ${reply.content ?? JSON.stringify(reply.tool_calls)}`);
    }
    expect(1 - wrong.length / sample.length, wrong.join('\n')).toBeGreaterThanOrEqual(RIGHT_AT_LEAST);
  });

  it('tells in words what it can do, as it is sampled by default', { timeout: 60_000 }, async () => {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'pico', messages: [{ role: 'user', content: 'What can you do?' }] }),
    });
    const { choices } = (await response.json()) as {
      choices: [{ message: { content: string }; finish_reason: string }];
    };
    expect(choices[0].finish_reason).toBe('stop');
    expect(choices[0].message.content).toMatch(/^I can .*Paddock.*\.$/);
  });
});
