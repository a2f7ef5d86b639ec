import { type Log, withFields } from '../../../contract/log.ts';
import { messageOf } from '../../../utils/error-message.ts';
import type { EngineOptions } from '../../engine.ts';
import { createGrowingContext } from '../llama/growing-context.ts';
import { whyNoMtp } from '../llama/hidden/mtp-support.ts';
import type { LlamaModel } from '../llama/model.ts';
import { type Growth, whyNoGuesses } from './growth.ts';
import { createHeadCache } from './head-cache.ts';
import { createHeadDrafter, type HeadDrafter } from './head-drafter.ts';

/** What became of a model's MTP layer. */
export interface LoadedMtp {
  /** Undefined if the layer is not used. */
  drafter?: HeadDrafter;
  /** Whether it is used, and why not; undefined for a model without such a layer. */
  state?: string;
}

/**
 * Makes the drafter of a model's MTP layer, with a context that the model owns. Replies are the same without it, so it never
 * rejects.
 *
 * @param threads returns the number of threads to guess with
 */
export async function loadMtp(
  model: LlamaModel,
  options: EngineOptions,
  { grows, available }: Growth,
  threads: () => number,
  log: Log,
): Promise<LoadedMtp> {
  if (!options.mtp) return {};
  const reason = whyNoMtp(model.library, options) ?? whyNoGuesses(model, options);
  if (reason !== undefined) return { state: `not used: ${reason}` };
  try {
    const named = withFields(log, { context: 'MTP layer' });
    const growing = await createGrowingContext(model, options, grows, named, available, { guesses: 'mtp' });
    const drafter = createHeadDrafter({
      cache: createHeadCache(growing, model.hiddenWidth),
      parts: ['output'],
      threads,
      onFailure: (error) => log.warn('MTP layer no longer used', { reason: messageOf(error) }),
    });
    return { drafter, state: 'used' };
  } catch (error) {
    return { state: `not used: ${messageOf(error)}` };
  }
}
