import type { TopLogits } from '../../../sampling/highest.ts';
import { nextTurn } from '../../node/next-turn.ts';
import { addressOf, keepUntilHere, lengthForC, searchFunctions } from './library/bindings.ts';
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
   * @param isBrief true for a pass of a few ms, which the calling thread computes or waits for itself: the way to a thread of libuv and
   *   back takes 0.1 to 0.3 ms on a virtual machine
   */
  run(
    context: Pointer,
    batch: Batch,
    wanted: readonly WantedLogits[],
    threads: number,
    isBrief: boolean,
  ): Promise<number>;
  /** Returns the highest `count` logits at a place, if the latest pass has found as many there. */
  highestAt(place: LogitsPlace, count: number): TopLogits | undefined;
}

/** The most places at which one call finds the highest logits. */
const MOST_PLACES = 512;

/** Makes the passes of a context. `size` is the number of tokens in the vocabulary. */
export function createPasses(library: Library, size: number): Passes {
  const { llama, gpu } = library;
  const { highestAt, plan, search } = createSearch(library, size);

  return {
    async run(context, batch, wanted, threads, isBrief) {
      plan(wanted);
      const result = await (isBrief ? llama.llama_decode : llama.llama_decode.async)(context, batch);
      if (result !== 0) return result;
      // While the GPU computes, texts and messages have their turn.
      if (isBrief && gpu) await nextTurn();
      await search(context, threads, isBrief || !gpu);
      return 0;
    },
    highestAt,
  };
}

/** Waits for a pass, and finds the highest logits if there are kernels of Paddock. */
interface Search {
  /** Notes where the logits of the next pass are looked at. */
  plan(wanted: readonly WantedLogits[]): void;
  /** Waits for the latest pass, in this thread if `here`. */
  search(context: Pointer, threads: number, here: boolean): Promise<void> | void;
  highestAt: Passes['highestAt'];
}

function createSearch({ llama, paths, kernels: { search } }: Library, size: number): Search {
  if (!search) {
    const wait = llama.llama_synchronize;
    return {
      plan() {},
      search: (context, _, here) => (here ? wait : wait.async)(context),
      highestAt: () => undefined,
    };
  }
  const functions = searchFunctions(paths.at(-1) ?? '');
  const asked = new Int32Array(2 * MOST_PLACES);
  const counts = new Int32Array(MOST_PLACES);
  const at = { functions: addressOf(functions), asked: addressOf(asked), counts: addressOf(counts) };
  let room = makeRoom(0);
  /** By place: where its results begin, and how many there may be. */
  const places = new Map<LogitsPlace, { at: number; begin: number; most: number }>();

  return {
    plan(wanted) {
      places.clear();
      let begin = 0;
      for (const [at, { place, most }] of wanted.slice(0, MOST_PLACES).entries()) {
        asked[2 * at] = place;
        asked[2 * at + 1] = most;
        counts[at] = -1;
        places.set(place, { at, begin, most });
        begin += most;
      }
      if (begin > room.tokens.length) room = makeRoom(begin);
    },
    search(context, threads, here) {
      keepUntilHere([functions]);
      const call = here ? search : search.async;
      const results = [at.counts, room.tokensAt, room.logitsAt] as const;
      return call(at.functions, context, size, places.size, at.asked, ...results, threads);
    },
    highestAt(place, count) {
      const { at = 0, begin = 0, most = 0 } = places.get(place) ?? {};
      const number = counts[at] ?? -1;
      if (count > most || number < 0) return undefined;
      const end = begin + Math.min(count, number);
      return { tokens: toList(room.tokens, begin, end), logits: toList(room.logits, begin, end) };
    },
  };
}

/** Makes room for the results of a pass. */
function makeRoom(length: number) {
  const least = lengthForC(length);
  const tokens = new Int32Array(least);
  const logits = new Float32Array(least);
  return { tokens, tokensAt: addressOf(tokens), logits, logitsAt: addressOf(logits) };
}

/** Returns the numbers from `begin` to before `end`. `Array.from` takes ten times as long. */
function toList(numbers: Int32Array | Float32Array, begin: number, end: number): number[] {
  const list = new Array<number>(end - begin);
  for (let index = begin; index < end; index++) list[index - begin] = numbers[index] ?? 0;
  return list;
}
