import { describe, expect, it } from 'vitest';
import type { TextRequest } from '../../../src/engine/engine.ts';
import { completionParams } from '../../../src/engine/wasm/params.ts';
import { greedy, textRequest } from '../../kit/generation.ts';

/** Returns the parameters of one choice of a request, in a context of 512 tokens. */
function params(more: Partial<TextRequest> = {}, choice = 0) {
  const request = textRequest('Hello', { maxTokens: null, cachePrompt: false, choices: 8, ...more });
  return completionParams({ ...request, prompt: 'Hello' }, { choice, contextLength: 512, progress: true });
}

describe('the parameters of llama-server', () => {
  it('have the prompt as it is and no limit but the context', () => {
    expect(params()).toMatchObject({ prompt: 'Hello', n_predict: -1, cache_prompt: false, return_progress: true });
    expect(params({ maxTokens: 7, cachePrompt: true })).toMatchObject({ n_predict: 7, cache_prompt: true });
  });

  it('have no grammar and no probabilities unless asked for', () => {
    expect(params()).not.toHaveProperty('grammar');
    expect(params()).not.toHaveProperty('n_probs');
    expect(params({ grammar: 'root ::= "x"', marks: ['<think>'] })).toMatchObject({
      grammar: 'root ::= "x"',
      preserved_tokens: ['<think>'],
    });
  });

  it.each([
    [0, 1],
    [1, 1],
    [20, 20],
  ])('have, for %d alternatives, the probabilities of at least one token', (logprobs, expected) => {
    expect(params({ logprobs })).toHaveProperty('n_probs', expected);
  });

  it('give each choice its own seed, within 32 bits and never the one that means a random seed', () => {
    expect([0, 1, 7].map((choice) => params({}, choice).seed)).toEqual([1, 2, 8]);
    const sampling = { ...greedy, seed: 0xfffffffe };
    expect([0, 1, 2].map((choice) => params({ sampling }, choice).seed)).toEqual([0xfffffffe, 0, 1]);
  });

  it('take nothing from the cache that the request may not take, whichever choice it is', () => {
    expect(params({ cachePrompt: false }, 1)).toHaveProperty('cache_prompt', false);
  });

  it('time each token: a reply may be ended from outside, or break off', () => {
    expect(params().timings_per_token).toBe(true);
  });

  it('keep stop sequences away from llama-server, which would lose text for them', () => {
    expect(params({ stop: ['END'] })).not.toHaveProperty('stop');
  });

  it('replace a window of -1', () => {
    expect(params({ sampling: { ...greedy, repeatLastN: -1 } })).toHaveProperty('repeat_last_n', 512);
    expect(params({ sampling: { ...greedy, repeatLastN: 0 } })).toHaveProperty('repeat_last_n', 0);
    expect(params({ sampling: { ...greedy, repeatLastN: 2 ** 50 } })).toHaveProperty('repeat_last_n', 512);
  });

  it('limit the reasoning by marks, also where the prompt has the opening one', () => {
    const thinking = { tokens: 20, open: '<think>', close: '</think>', ends: ['<tool_call>'], inside: true };
    expect(params({ thinking })).toMatchObject({
      reasoning_budget_tokens: 20,
      reasoning_budget_start_tag: '<think>',
      reasoning_budget_end_tags: ['</think>', '</think>\n', '</think>\n\n', '<tool_call>'],
      generation_prompt: '<think>',
    });
    expect(params()).not.toHaveProperty('reasoning_budget_tokens');
  });

  it('have the breakers of DRY only where it is on', () => {
    expect(params()).not.toHaveProperty('dry_sequence_breakers');
    const sampling = { ...greedy, dryMultiplier: 0.8, dryPenaltyLastN: -1 };
    expect(params({ sampling })).toMatchObject({ dry_sequence_breakers: greedy.dryBreakers, dry_penalty_last_n: 512 });
  });
});
