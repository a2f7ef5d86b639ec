import type { EngineOptions } from '../../engine.ts';
import type { LlamaModel } from '../llama/model.ts';

/** What the contexts of a model depend on besides its options: see `createGrowingContext`. */
export interface Growth {
  grows: boolean;
  available: () => number;
}

/** Returns why nothing can guess the tokens of a model's replies; undefined if something can. */
export function whyNoGuesses({ recurs }: LlamaModel, { states = 0 }: EngineOptions): string | undefined {
  return recurs && states === 0 ? 'the recurrent state can not take guesses back' : undefined;
}
