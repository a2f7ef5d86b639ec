import type { Decoder } from './decoder.ts';
import type { StepDriver } from './step-loop.ts';
import { planStep } from './step-plan.ts';

/** While a reply is written, prompts get at most this share of a step's batch, so that no stream stalls for long. */
const PREFILL_SHARE = 1 / 4;

/** Joins the decisions about a step with what it is run by. */
export function createDriver(decoder: Decoder, threads: number): StepDriver {
  const { batchSize } = decoder;
  return {
    plan: (demands) =>
      planStep(demands, { batchSize, promptBudget: Math.floor(batchSize * PREFILL_SHARE), now: performance.now() }),
    decode: (parts) => decoder.decode(parts, threads),
    hold: decoder.hold,
  };
}
