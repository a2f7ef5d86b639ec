import type { GenerationDone, Guesses } from '../../contract/events.ts';

/**
 * Adds up the counts of the generations of one reply. The sources of cached tokens are those of a single generation, and
 * absent for several.
 */
export function addUp(before: GenerationDone | null, next: GenerationDone): GenerationDone {
  if (!before) return next;
  const reasoningTokens = (before.reasoningTokens ?? 0) + (next.reasoningTokens ?? 0);
  const guesses = addGuesses(before.guesses, next.guesses);
  return {
    kind: 'done',
    promptTokens: before.promptTokens + next.promptTokens,
    cachedTokens: before.cachedTokens + next.cachedTokens,
    completionTokens: before.completionTokens + next.completionTokens,
    ...(reasoningTokens > 0 && { reasoningTokens }),
    ...(guesses && { guesses }),
    promptMs: before.promptMs + next.promptMs,
    predictedMs: before.predictedMs + next.predictedMs,
  };
}

function addGuesses(first: Guesses | undefined, second: Guesses | undefined): Guesses | undefined {
  if (!first || !second) return first ?? second;
  return { made: first.made + second.made, right: first.right + second.right };
}
