import type { AdapterSet } from '../llama/adapters.ts';
import type { Part } from '../llama/decoder.ts';
import type { LogitsPlace } from '../llama/tokens/token.ts';
import type { Demand } from './step-plan.ts';

/** Plans the steps and runs their forward passes. */
export interface StepDriver {
  /**
   * Returns how many tokens each generation of the next forward pass may evaluate in it: tokens of its prompt, or guessed
   * tokens of its reply besides those that it needs.
   *
   * @param repliesElsewhere the number of replies that are generated in other passes, and wait for this one
   */
  plan(demands: Demand[], repliesElsewhere: number): number[];
  /**
   * Runs one forward pass with these LoRA adapters, and resolves to the places of the logits of each part. Throws
   * `PassAborted` after an abort of the signal, and another error if the pass fails.
   */
  decode(parts: Part[], signal: AbortSignal, adapters: AdapterSet): Promise<LogitsPlace[][]>;
  /** Keeps the context from being disposed until the returned function is called. Throws if it is disposed already. */
  hold(): () => void;
}
