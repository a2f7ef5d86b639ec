import { isBuiltIn } from '../catalogue/node/built-in.ts';
import type { FileCatalogue } from '../catalogue/node/catalogue.ts';
import type { ModelCard } from '../contract/models/model.ts';
import type { Runner } from '../contract/runner.ts';

/** What a start makes ready for the first request: a thread that prepares requests, and the engine. */
export interface ReadyAhead {
  /**
   * True to load the built-in model where it is the only one. It is small and loads on the CPU in a fifth of a second, and no request can
   * be for another model, which would have to wait or take a new process.
   */
  loads: boolean;
}

/** Returns the built-in model; undefined if there is none. */
export function builtInCard(catalogue: Pick<FileCatalogue, 'list' | 'sourceOf'>): ModelCard | undefined {
  return catalogue.list().find(({ id }) => {
    const source = catalogue.sourceOf(id);
    return source !== undefined && isBuiltIn(source);
  });
}

/**
 * Loads the built-in model if the catalogue has no other. Never rejects: the pool logs why a load failed, and the first request tries
 * again.
 */
export async function loadOnlyModel(
  catalogue: Pick<FileCatalogue, 'list' | 'sourceOf'>,
  { residency }: Pick<Runner, 'residency'>,
  signal: AbortSignal,
): Promise<void> {
  const own = builtInCard(catalogue);
  if (!own || catalogue.list().length > 1) return;
  await residency?.load(own.id, signal).catch(() => {});
}
