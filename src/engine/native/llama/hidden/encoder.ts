import type { During } from '../context/lifetime.ts';
import { addressOf, keepUntilHere } from '../library/bindings.ts';
import type { Library } from '../library/library.ts';
import type { HiddenRows } from './hidden-rows.ts';

/**
 * Turns `count` hidden rows of a target, one after the other, into `count` rows of an EAGLE-3 draft model. `count` may
 * not exceed the tokens of one batch. Throws if llama.cpp can not.
 *
 * @param isBrief true if the event loop waits meanwhile, for work of a few ms
 */
export type EncodeRows = (rows: Float32Array, count: number, isBrief: boolean) => Promise<Float32Array>;

/**
 * Makes the encoder of an EAGLE-3 draft model's context.
 *
 * @param hidden the rows that the context gives
 */
export function createEncoder(
  { llama, takeError }: Pick<Library, 'llama' | 'takeError'>,
  hidden: HiddenRows,
  during: During,
): EncodeRows {
  return (rows, count, isBrief) =>
    during(async (context) => {
      const batch = { n_tokens: count, token: null, embd: addressOf(rows), pos: null, n_seq_id: null, seq_id: null };
      takeError();
      const result = await (isBrief ? llama.llama_encode : llama.llama_encode.async)(context, {
        ...batch,
        logits: null,
      });
      keepUntilHere([rows]);
      if (result !== 0) throw new Error(`llama.cpp could not encode hidden rows (${result}): ${takeError()}`);
      return hidden.at(0, count);
    });
}
