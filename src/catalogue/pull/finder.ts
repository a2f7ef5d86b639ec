import { ApiError } from '../../contract/errors.ts';
import type { Finder, Offer, Variant } from '../../contract/models/finder.ts';
import { chooseByPath, chooseByQuant, isProjectorPath, modelsIn, type RepositoryModel, sizeOf } from './choose.ts';
import { type Hub, hubHosts, openRepository, searchHub } from './hugging-face.ts';
import type { Patience, PersistOptions } from './patience.ts';
import type { Fetch } from './remote.ts';
import { type PullSource, parseSource } from './source.ts';
import { probeUrl } from './web.ts';

/** The parts of a finder that differ between platforms. */
export interface FinderParts {
  hub: Hub;
  fetch: Fetch;
  patience: Patience;
}

/** Makes a finder that asks the hub's own search. */
export function createFinder({ hub, fetch, patience }: FinderParts): Finder {
  const limits = (signal: AbortSignal): PersistOptions => ({
    patience,
    limitMs: patience.resolvingMs,
    signal,
    fetch,
    onWait: () => {},
    asks: true,
  });
  return {
    search: (words, limit, signal) => searchHub(hub, words, limit, limits(signal)),
    offer: async (text, signal) => {
      const source = parseSource(text, hubHosts(hub));
      return source.kind === 'url' ? offerOfUrl(source.url, limits(signal)) : offerOfRepo(hub, source, limits(signal));
    },
  };
}

async function offerOfUrl(url: string, options: PersistOptions): Promise<Offer> {
  const files = await probeUrl(url, options);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const variant = { source: url, quantization: null, size, projector: false };
  return { origin: new URL(url).host, variants: [variant], named: url };
}

async function offerOfRepo(
  hub: Hub,
  source: Exclude<PullSource, { kind: 'url' }>,
  options: PersistOptions,
): Promise<Offer> {
  const { repo, revision } = source;
  const { files } = await openRepository(hub, repo, revision, options);
  const place = `hf:${repo}${revision === 'main' ? '' : `@${revision}`}`;
  const models = modelsIn(files);
  const chosen = unlessRefused(() =>
    source.kind === 'repo' ? chooseByQuant(files, repo, source.quant) : chooseByPath(files, repo, source.path),
  );
  const named = models.find(({ path }) => path === chosen?.files[0]?.path);
  return {
    origin: repo,
    variants: models.map((model) => toVariant(place, model)),
    named: named ? sourceOf(place, named) : null,
  };
}

function toVariant(place: string, model: RepositoryModel): Variant {
  return {
    source: sourceOf(place, model),
    quantization: model.quant,
    size: sizeOf(model),
    projector: model.files.some(({ path }) => isProjectorPath(path)),
  };
}

function sourceOf(place: string, { quant, path, isOnly }: RepositoryModel): string {
  return isOnly ? `${place}:${quant}` : `${place}/${path}`;
}

/** Returns the chosen model; null if none fits or several do. */
function unlessRefused<T>(choose: () => T): T | null {
  try {
    return choose();
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
