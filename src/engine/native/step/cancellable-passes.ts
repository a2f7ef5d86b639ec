import type { AdapterSet } from '../llama/adapters.ts';
import type { Part } from '../llama/decoder.ts';
import type { LogitsPlace } from '../llama/tokens/token.ts';
import type { StepDriver } from './step-driver.ts';
import type { Steppable } from './steppable.ts';

/**
 * Runs forward passes, one at a time. A pass is aborted once all of its generations are cancelled: it is worth nothing then, and a
 * long part of a prompt takes seconds.
 */
export interface CancellablePasses {
  /** From now on, an abort of the generation's signal may abort the pass that it is part of. */
  watch(generation: Pick<Steppable, 'signal'>): void;
  /** Ends what `watch` began. */
  leave(generation: Pick<Steppable, 'signal'>): void;
  /** Runs a pass of these generations, as `StepDriver.decode` does. */
  decode(
    generations: readonly Pick<Steppable, 'signal'>[],
    parts: Part[],
    adapters: AdapterSet,
  ): Promise<LogitsPlace[][]>;
}

/** @param decode runs a pass */
export function createCancellablePasses(decode: StepDriver['decode']): CancellablePasses {
  const watched = new Set<Pick<Steppable, 'signal'>>();
  /** The generations of the pass that is under way; undefined between two passes. */
  let computing: readonly Pick<Steppable, 'signal'>[] | undefined;
  /** Aborts passes, one after the other until one was aborted: a new controller takes as long as a small plan. */
  let controller = new AbortController();

  const noteCancelled = () => {
    if (computing?.every(({ signal }) => signal.aborted)) controller.abort();
  };

  return {
    watch(generation) {
      watched.add(generation);
      generation.signal.addEventListener('abort', noteCancelled);
    },
    leave(generation) {
      watched.delete(generation);
      // All choices of a request share its signal.
      const isShared = [...watched].some(({ signal }) => signal === generation.signal);
      if (!isShared) generation.signal.removeEventListener('abort', noteCancelled);
    },
    async decode(generations, parts, adapters) {
      if (controller.signal.aborted) controller = new AbortController();
      computing = generations;
      noteCancelled();
      try {
        return await decode(parts, controller.signal, adapters);
      } finally {
        computing = undefined;
      }
    },
  };
}
