import { type ApiError, invalidRequest } from '../../contract/errors.ts';
import { queryField } from './query.ts';

/** A page of a list that a query asks for. */
export interface WantedPage {
  limit: number;
  /** True if the oldest item is to come first. */
  ascending: boolean;
  /** The id of the item before the page; null for the first page. */
  after: string | null;
}

/**
 * Reads `limit`, `order` and `after` from a query. `usual` is the number of items if the query does not say, `most` the
 * most that it may ask for. Throws a 400 `ApiError`.
 */
export function readPage(query: string, { usual, most }: { usual: number; most: number }): WantedPage {
  const limit = queryField(query, 'limit') ?? String(usual);
  if (!/^\d{1,9}$/.test(limit) || Number(limit) < 1 || Number(limit) > most)
    throw invalidRequest(`limit must be an integer between 1 and ${most}.`, 'limit');
  const order = queryField(query, 'order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalidRequest('order must be one of asc, desc.', 'order');
  return { limit: Number(limit), ascending: order === 'asc', after: queryField(query, 'after') };
}

/** Returns a page of items, as OpenAI's lists are. Throws the error of `notFound` if no item has the id `after`. */
export function pageOf<I extends { id: string }>(
  newestFirst: readonly I[],
  { limit, ascending, after }: WantedPage,
  notFound: (after: string) => ApiError,
) {
  const ordered = ascending ? newestFirst.toReversed() : newestFirst;
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0) throw notFound(after);
  const items = ordered.slice(start, start + limit);
  return listPage(items, start + items.length < ordered.length);
}

/** Returns a list with the ids of its first and last item, as OpenAI's lists are. */
export function listPage<I extends { id: string }>(items: readonly I[], hasMore: boolean) {
  return {
    object: 'list',
    data: items,
    first_id: items.at(0)?.id ?? null,
    last_id: items.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}
