import type { TopLogits } from '../../../sampling/highest.ts';
import { addressOf, passFunctions } from './library/bindings.ts';
import type { Library } from './library/library.ts';
import type { Pointer } from './library/pointer.ts';
import type { Batch } from './library/structs.ts';
import type { LogitsPlace } from './tokens/token.ts';

/** The number of highest logits that are looked for at a place of a pass. */
export interface WantedLogits {
  place: LogitsPlace;
  most: number;
}

/** Runs the forward passes of one context. */
export interface Passes {
  /**
   * Runs one forward pass and waits until it is computed, also on a GPU. Resolves to the result of `llama_decode`. Where there are
   * kernels of Paddock, the highest logits at these places are found in the same call.
   *
   * @param threads the most threads that look for the highest logits
   */
  run(context: Pointer, batch: Batch, wanted: readonly WantedLogits[], threads: number): Promise<number>;
  /** Returns the highest `count` logits at a place, if the latest pass has found as many there. */
  highestAt(place: LogitsPlace, count: number): TopLogits | undefined;
}

/** The most places at which one call finds the highest logits. */
const MOST_PLACES = 512;
/** Short typed arrays may be moved in memory while C has their address. */
const LEAST_ROOM = 64;

/** Makes the passes of a context. `size` is the number of tokens in the vocabulary. */
export function createPasses({ llama, paths, gpu, kernels: { pass } }: Library, size: number): Passes {
  if (!pass) {
    return {
      async run(context, batch) {
        const result = await llama.llama_decode.async(context, batch);
        if (result === 0 && gpu) await llama.llama_synchronize.async(context);
        return result;
      },
      highestAt: () => undefined,
    };
  }
  const functions = passFunctions(paths.at(-1) ?? '');
  const asked = new Int32Array(2 * MOST_PLACES);
  const counts = new Int32Array(MOST_PLACES);
  let room = makeRoom(0);
  /** By place: where its results begin, and how many there may be. */
  const found = new Map<LogitsPlace, { at: number; begin: number; most: number }>();

  const plan = (wanted: readonly WantedLogits[]) => {
    found.clear();
    let begin = 0;
    for (const [at, { place, most }] of wanted.entries()) {
      asked[2 * at] = place;
      asked[2 * at + 1] = most;
      found.set(place, { at, begin, most });
      begin += most;
    }
    if (begin > room.tokens.length) room = makeRoom(begin);
  };
  return {
    run(context, batch, wanted, threads) {
      const places = wanted.slice(0, MOST_PLACES);
      plan(places);
      const results = [addressOf(counts), addressOf(room.tokens), addressOf(room.logits)] as const;
      return pass(addressOf(functions), context, batch, size, places.length, addressOf(asked), ...results, threads);
    },
    highestAt(place, count) {
      const { at = 0, begin = 0, most = 0 } = found.get(place) ?? {};
      const number = counts[at] ?? -1;
      if (count > most || number < 0) return undefined;
      const end = begin + Math.min(count, number);
      return {
        tokens: Array.from(room.tokens.subarray(begin, end)),
        logits: Array.from(room.logits.subarray(begin, end)),
      };
    },
  };
}

/** Makes room for the results of a pass. */
function makeRoom(length: number) {
  const least = Math.max(LEAST_ROOM, length);
  return { tokens: new Int32Array(least), logits: new Float32Array(least) };
}
