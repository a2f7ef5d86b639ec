import type { Bindings } from '../library/bindings.ts';
import type { During } from './lifetime.ts';

/** Paddock keeps the tokens of a saved state itself, so the file has none. */
const NO_TOKENS = new Int32Array(64);

/** The states of a context's sequences: what the model has computed of their tokens. */
export interface SequenceStates {
  /** Writes the state of a sequence to a file. Resolves to its size in bytes. Throws if that fails. */
  save(sequence: number, path: string): Promise<number>;
  /** Loads the state of at most `room` tokens into a sequence. Resolves to false if that fails. */
  load(sequence: number, path: string): Promise<boolean>;
  /** Copies the state of a sequence into another context of the same model. Throws if that fails. */
  moveTo(other: Pick<SequenceStates, 'setState'>, sequence: number): Promise<void>;
  /** Sets the state of a sequence. Throws if that fails. */
  setState(sequence: number, state: Uint8Array): Promise<void>;
}

/** Makes the functions that copy the states of sequences out of a context and into it. */
export function createStates(llama: Bindings, during: During): SequenceStates {
  return {
    save: (sequence, path) =>
      during(async (context) => {
        const bytes = await llama.llama_state_seq_save_file.async(context, path, sequence, NO_TOKENS, 0);
        if (bytes === 0) throw new Error("the sequence's state could not be written");
        return bytes;
      }),
    load: (sequence, path) =>
      during(async (context) => {
        const tokens = new Int32Array(64);
        const count = new BigUint64Array(8);
        return (await llama.llama_state_seq_load_file.async(context, path, sequence, tokens, 0, count)) > 0;
      }),
    moveTo: (other, sequence) =>
      during(async (context) => {
        const state = new Uint8Array(llama.llama_state_seq_get_size_ext(context, sequence, 0));
        const bytes = await llama.llama_state_seq_get_data_ext.async(context, state, state.length, sequence, 0);
        await other.setState(sequence, state.subarray(0, bytes));
      }),
    setState: (sequence, state) =>
      during(async (context) => {
        const bytes = await llama.llama_state_seq_set_data_ext.async(context, state, state.length, sequence, 0);
        if (bytes !== state.length) throw new Error("llama.cpp did not take a sequence's state");
      }),
  };
}
