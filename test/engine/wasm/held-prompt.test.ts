import { beforeEach, describe, expect, it } from 'vitest';
import { createHeldPrompt, type HeldPrompt } from '../../../src/engine/wasm/held-prompt.ts';

const LONG = 'a prompt of some length, of which others may know nothing';

let held: HeldPrompt;
beforeEach(() => {
  held = createHeldPrompt();
});

/** Runs a prompt up to where its reply has so many tokens. A token has four characters. */
function run(scope: string | undefined, text: string | null, reply = 4): void {
  held.begin({ scope, text });
  const total = Math.ceil((text ?? LONG).length / 4);
  held.note({ prompt_progress: { total, cache: 0, processed: 0, time_ms: 0 } });
  held.note({ timings: { cache_n: 0, prompt_n: total, prompt_ms: 1, predicted_n: reply, predicted_ms: 1 } });
}

describe('with one scope', () => {
  it.each([undefined, 'ada'])('every prompt may use what is held (%s)', (scope) => {
    expect(held.mayBeUsedFor({ scope, text: LONG })).toBe(true);
    run(scope, 'something else');
    expect(held.mayBeUsedFor({ scope, text: LONG })).toBe(true);
    expect(held.mayBeUsedFor({ scope, text: null })).toBe(true);
  });

  it('no prompt of another one may', () => {
    run('ada', LONG);
    expect(held.mayBeUsedFor({ scope: 'bob', text: LONG })).toBe(false);
    expect(held.mayBeUsedFor({ scope: undefined, text: LONG })).toBe(false);
  });
});

describe('with several scopes', () => {
  beforeEach(() => {
    run('ada', LONG);
    run('bob', LONG);
  });

  it('the same prompt, and one that goes on after it, may use it', () => {
    expect(held.mayBeUsedFor({ scope: 'bob', text: LONG })).toBe(true);
    expect(held.mayBeUsedFor({ scope: 'bob', text: `${LONG}, and more` })).toBe(true);
  });

  it('the prompt of another scope may not', () => {
    expect(held.mayBeUsedFor({ scope: 'ada', text: LONG })).toBe(false);
    expect(held.mayBeUsedFor({ scope: undefined, text: LONG })).toBe(false);
  });

  it('no prompt may for which the runtime may look among its earlier prompts', () => {
    expect(held.mayBeUsedFor({ scope: 'bob', text: 'another one' })).toBe(false);
    expect(held.mayBeUsedFor({ scope: 'bob', text: LONG.slice(0, -5) })).toBe(false);
    expect(held.mayBeUsedFor({ scope: 'bob', text: LONG + 'x'.repeat(200) })).toBe(false);
    run('bob', LONG, 100);
    expect(held.mayBeUsedFor({ scope: 'bob', text: `${LONG}, and more` })).toBe(false);
  });

  it('none may after one of which nothing is known to be in the slot', () => {
    held.begin({ scope: 'bob', text: LONG });
    expect(held.mayBeUsedFor({ scope: 'bob', text: LONG })).toBe(false);
  });

  it('none may whose images or recordings are not a part of its text', () => {
    run('bob', null);
    expect(held.mayBeUsedFor({ scope: 'bob', text: null })).toBe(false);
  });
});

describe('what is new of a text', () => {
  it('follows the beginning that it has in common with the prompt in the slot', () => {
    expect(held.newCharacters(LONG)).toBe(LONG.length);
    run(undefined, LONG);
    expect(held.newCharacters(LONG)).toBe(0);
    expect(held.newCharacters(`${LONG}, and more`)).toBe(', and more'.length);
    expect(held.newCharacters('a prompt of yore')).toBe('yore'.length);
  });

  it('is all of it while a run is unknown to have its prompt there', () => {
    run(undefined, LONG);
    held.begin({ scope: undefined, text: LONG });
    expect(held.newCharacters(LONG)).toBe(LONG.length);
  });
});
