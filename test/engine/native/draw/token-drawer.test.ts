import { describe, expect, it } from 'vitest';
import { createLogitsDrawer } from '../../../../src/engine/native/draw/token-drawer.ts';
import { createCandidates } from '../../../../src/engine/native/llama/candidates.ts';
import { highestLogits } from '../../../../src/sampling/highest.ts';
import { greedy } from '../../../kit/generation.ts';

/** Makes a drawer of a vocabulary with these logits. */
function drawerOver(logits: number[]) {
  const all = Float32Array.from(logits);
  return createLogitsDrawer({
    sampling: greedy,
    contextLength: 64,
    source: { logitsAt: () => all, highestAt: (_, count) => highestLogits(all, count) },
    history: [],
    isEndOfTurn: () => false,
    grammar: undefined,
    makeCandidates: () => createCandidates(logits.length),
    possible: async () => null,
    spentDraws: 0,
    vocabularySize: logits.length,
    logprobs: null,
    breakers: undefined,
  });
}

describe('a draw', () => {
  it('takes the highest logit at temperature 0', async () => {
    expect(await drawerOver([1, 3, 2]).draw(0)).toEqual({ token: 1 });
  });

  it('says that the model is damaged if its logits are no numbers', async () => {
    const drawn = drawerOver([Number.NaN, Number.NaN, Number.NaN]).draw(0);
    await expect(drawn).rejects.toMatchObject({ data: { status: 500, code: 'model_damaged' } });
  });
});
