import { type Log, withFields } from '../../../contract/log.ts';
import { messageOf } from '../../../utils/error-message.ts';
import type { EngineOptions } from '../../engine.ts';
import { EAGLE3_BATCH } from '../../memory-estimate.ts';
import { planCache } from '../llama/cache-sizes.ts';
import { type LlamaContext, openContext } from '../llama/context.ts';
import { createGrowingContext } from '../llama/growing-context.ts';
import type { RowPart } from '../llama/hidden/hidden-rows.ts';
import { copyInto, lengthForC } from '../llama/library/bindings.ts';
import { type LlamaModel, openModel } from '../llama/model.ts';
import { entriesOf } from '../llama/tokens/tokenizer.ts';
import { type Growth, whyNoGuesses } from './growth.ts';
import { createHeadCache } from './head-cache.ts';
import { createHeadDrafter, type HeadDrafter } from './head-drafter.ts';

/**
 * Makes the drafter of a model's EAGLE-3 draft model, which the model owns. Resolves to undefined if there is none. If there is one that
 * can not be used, logs the reason and resolves to undefined as well: replies are the same without it. Never rejects.
 *
 * @param threads returns the number of threads to guess with
 */
export async function loadEagle3(
  target: LlamaModel,
  options: EngineOptions,
  growth: Growth,
  threads: () => number,
  log: Log,
): Promise<HeadDrafter | undefined> {
  const { eagle3 } = options;
  if (!eagle3) return undefined;
  let draft: LlamaModel | null = null;
  try {
    const reason = whyNoEagle3(target, options);
    if (reason !== undefined) throw new Error(reason);
    draft = await openModel(target.library, eagle3.file, target.gpuLayers === 0 ? { n_gpu_layers: 0 } : {});
    if (!draft) throw new Error(`llama.cpp could not load it: ${target.library.takeError()}`);
    const drafter = await openDrafter(target, draft, options, growth, threads, log);
    log.info('draft model loaded', { file: draft.file });
    return drafter;
  } catch (error) {
    await draft?.close();
    log.warn('draft model not used', { reason: messageOf(error) });
    return undefined;
  }
}

function whyNoEagle3(target: LlamaModel, options: EngineOptions): string | undefined {
  if (options.oneByOne) return 'every token is drawn by itself';
  if (!target.library.hidden) return "llama.cpp's libraries for this system have no functions for it";
  return whyNoGuesses(target, options);
}

async function openDrafter(
  target: LlamaModel,
  draft: LlamaModel,
  options: EngineOptions,
  { grows, available }: Growth,
  threads: () => number,
  log: Log,
): Promise<HeadDrafter> {
  const [own, wanted] = [entriesOf(draft.tokenizer), entriesOf(target.tokenizer)];
  if (own.length !== wanted.length || own.some((text, token) => text !== wanted[token]))
    throw new Error('its vocabulary is another one');
  const parts = targetLayersOf(draft).map((layer): RowPart => (layer === target.layers ? 'output' : layer));
  const lender = options.eagle3?.borrows ? await openLender(target) : undefined;
  const named = withFields(log, { context: 'draft model' });
  const growing = await createGrowingContext(draft, options, grows, named, available, {
    guesses: 'eagle3',
    target: lender?.handle,
    batchSize: EAGLE3_BATCH,
    sizes: planCache(target, options),
  }).catch(async (error: unknown) => {
    await lender?.[Symbol.asyncDispose]();
    throw error;
  });
  // A model closes first what it owned first: the draft model's own context, then that which lends it weights.
  if (lender) draft.own(lender);
  target.own({ [Symbol.asyncDispose]: () => draft.close() });
  return createHeadDrafter({
    cache: createHeadCache(growing, parts.length * target.hiddenWidth),
    parts,
    threads,
    onFailure: (error) => log.warn('draft model no longer used', { reason: messageOf(error) }),
  });
}

/**
 * Makes a context of the target from which an EAGLE-3 draft model takes the weights that it lacks. It computes nothing. The context of the
 * replies can not be it: that is replaced when it grows.
 */
async function openLender(target: LlamaModel): Promise<LlamaContext> {
  const context = await openContext(target, { contextLength: 1, sequences: 1, batchSize: 1, threads: 1 });
  if (!context) throw new Error(`llama.cpp could not make a context: ${target.library.takeError()}`);
  return context;
}

/** Returns the numbers of the target's layers from whose inputs an EAGLE-3 draft model guesses. */
function targetLayersOf({ library, handle }: LlamaModel): number[] {
  const { hidden } = library;
  if (!hidden) return [];
  const count = hidden._Z30llama_model_target_layer_ids_nPK11llama_model(handle);
  const layers = new Int32Array(lengthForC(count));
  if (count > 0) copyInto(layers.subarray(0, count), hidden._Z28llama_model_target_layer_idsPK11llama_model(handle));
  return [...layers.subarray(0, count)];
}
