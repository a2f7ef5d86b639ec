import type { Context } from '../state/context.ts';
import type { Found, Offer } from './hub.ts';

/** Finds models on the hub, through the server. Each call throws an `ApiFailure`, or an `AbortError`. */
export interface HubActions {
  search(words: string, signal: AbortSignal): Promise<Found[]>;
  offer(source: string, signal: AbortSignal): Promise<Offer>;
}

export function hubActions({ client }: Context): HubActions {
  return {
    search: async (query, signal) => {
      const answer = (await client.post('/v1/models/search', { query }, signal)) as { data: Found[] };
      return answer.data;
    },
    offer: async (model, signal) => (await client.post('/v1/models/variants', { model }, signal)) as Offer,
  };
}
