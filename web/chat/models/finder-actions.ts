import type { Context } from '../state/context-actions.ts';
import type { OfferedStarter } from './starter.ts';
import type { HubRepository, VariantList } from './variants.ts';

/** Finds models on the hub, through the API. Each call throws an `ApiFailure`, or an `AbortError` if it is aborted. */
export interface FinderActions {
  search(words: string, signal: AbortSignal): Promise<HubRepository[]>;
  offer(source: string, signal: AbortSignal): Promise<VariantList>;
  /** Returns the models to begin with, the one that suits this machine first. */
  starters(signal: AbortSignal): Promise<OfferedStarter[]>;
}

export function finderActions({ client }: Context): FinderActions {
  return {
    search: async (query, signal) => {
      const answer = (await client.post('/v1/models/search', { query }, signal)) as { data: HubRepository[] };
      return answer.data;
    },
    offer: async (model, signal) => (await client.post('/v1/models/variants', { model }, signal)) as VariantList,
    starters: async (signal) => ((await client.get('/v1/starters', signal)) as { data: OfferedStarter[] }).data,
  };
}
