import { describe, expect, it } from 'vitest';
import { mayTakePasses, withProgress } from '../../../src/engine/wasm/prompt-progress.ts';

const TIMINGS = { cache_n: 3, prompt_n: 5, prompt_ms: 7, predicted_n: 1, predicted_ms: 2 };

describe('the progress of a prompt', () => {
  it('is asked for if the prompt may take more than one forward pass', () => {
    expect([0, 192, 193].map((characters) => mayTakePasses(characters, 64))).toEqual([false, false, true]);
  });

  it('is that of a prompt which is read where only the first token tells it', () => {
    const chunk = { choices: [], timings: TIMINGS };
    expect(withProgress(chunk)).toEqual({
      ...chunk,
      prompt_progress: { total: 8, cache: 3, processed: 8, time_ms: 7 },
    });
  });

  it('stays as it is told, and is not made up', () => {
    const told = { choices: [], timings: TIMINGS, prompt_progress: { total: 8, cache: 0, processed: 0, time_ms: 0 } };
    expect(withProgress(told)).toBe(told);
    const silent = { choices: [] };
    expect(withProgress(silent)).toBe(silent);
  });
});
