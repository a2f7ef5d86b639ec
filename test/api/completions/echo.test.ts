import { describe, expect, it } from 'vitest';
import { withEcho } from '../../../src/api/completions/echo.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { collect, done, finish, progress, streamOf, text, tokenLogprob } from '../fixtures.ts';

const echoed = (events: GenerationEvent[]) => collect(withEcho(streamOf(events), 'One'));

describe('an echoed prompt', () => {
  it('is the first text of each choice, once', async () => {
    const events = [
      progress(1, 1),
      text('a', 1),
      text('b', 0),
      text('c', 1),
      finish('stop', 0),
      finish('stop', 1),
      done(),
    ];
    expect(await echoed(events)).toEqual([
      progress(1, 1),
      text('One', 1),
      text('a', 1),
      text('One', 0),
      ...events.slice(2),
    ]);
  });

  it('is there where the reply is empty, too', async () => {
    expect(await echoed([finish('length'), done()])).toEqual([text('One'), finish('length'), done()]);
  });

  it('has the log probabilities of its tokens where the engine tells them, which it does when the prompt is evaluated', async () => {
    const logprobs = [tokenLogprob('On'), tokenLogprob('e')];
    const told = await echoed([progress(1, 2), { ...progress(2, 2), logprobs }, text('a'), finish(), done()]);
    expect(told[2]).toEqual({ ...text('One'), logprobs });
  });
});
