import type { Log } from '../../../contract/log.ts';
import { messageOf } from '../../../utils/error-message.ts';
import type { EngineOptions } from '../../engine.ts';
import { createGrowingContext } from '../llama/growing-context.ts';
import type { LlamaModel } from '../llama/model.ts';
import { whyNoMtp } from '../llama/mtp/support.ts';
import { createMtpCache } from './mtp-cache.ts';
import { createMtpDrafter, type MtpDrafter } from './mtp-drafter.ts';

/**
 * Makes the drafter of a model's MTP layer, with a context that the model owns. Resolves to undefined if the model has no such
 * layer. If it has one that cannot be used, logs the reason and resolves to undefined as well: replies are the same without
 * it. Never rejects.
 *
 * @param grows and `available`: see `createGrowingContext`
 * @param threads returns the number of threads to guess with
 */
export async function loadMtp(
  model: LlamaModel,
  options: EngineOptions,
  { grows, available }: { grows: boolean; available: () => number },
  threads: () => number,
  log: Log,
): Promise<MtpDrafter | undefined> {
  if (!options.mtp) return undefined;
  const because = (reason: string) => log.info('MTP layer not used', { reason });
  const reason = whyNoMtp(model.library, options);
  if (reason !== undefined) return void because(reason);
  if (model.recurs && !options.states) return void because('the recurrent state can not take guesses back');
  try {
    const growing = await createGrowingContext(model, options, grows, log, available, { mtp: true });
    log.info('MTP layer guesses');
    return createMtpDrafter({
      cache: createMtpCache(growing, model.hiddenWidth),
      batchSize: growing.context.batchSize,
      threads,
      onFailure: (error) => log.warn('MTP layer no longer used', { reason: messageOf(error) }),
    });
  } catch (error) {
    log.warn('MTP layer not used', { reason: messageOf(error) });
    return undefined;
  }
}
