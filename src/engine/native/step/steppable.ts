import type { AdapterSet } from '../llama/adapters.ts';
import type { Part } from '../llama/decoder.ts';
import type { LogitsPlace } from '../llama/tokens/token.ts';
import type { Demand } from './step-plan.ts';

/** A generation, as the step loop sees it. */
export interface Steppable {
  readonly demand: Demand;
  /** The LoRA adapters of its forward passes. */
  readonly adapters: AdapterSet;
  readonly finished: boolean;
  /** Its abort cancels the generation. */
  readonly signal: AbortSignal;
  /**
   * Set while the generation waits for something other than a forward pass. It takes no part in the steps until this
   * resolves. Never rejects.
   */
  readonly awaited?: Promise<void> | undefined;
  /**
   * Returns its part of the next forward pass: up to `granted` tokens of its prompt or, after the prefill, the tokens that
   * its reply needs and `granted` guessed ones. Returns null if it has none. A cancelled generation ends here.
   */
  begin(granted: number): Part | null;
  /** Takes the logits of its part. Never rejects: an error ends the generation. */
  end(places: LogitsPlace[]): Promise<void>;
  /** Ends the cancelled generation after its forward pass was aborted. Never rejects. */
  abandon(): Promise<void>;
  /**
   * Gives up the room in the KV cache. What it held is evaluated again when it goes on. Never rejects. Undefined for a
   * generation that cannot do so.
   */
  retreat?: (() => Promise<void>) | undefined;
  /** Ends the generation after a failed forward pass. Never rejects. */
  fail(error: unknown): Promise<void>;
}
