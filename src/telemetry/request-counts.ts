import type { RequestRecord } from '../core/api/record.ts';

/** The labels of a count, as they are in the metrics. */
export type RequestLabels = Record<'method' | 'route' | 'model' | 'key' | 'status', string>;

/** Counts requests. It is on the way of each one, so it does no more than to look up a number and add one. */
export interface RequestCounts {
  add(record: RequestRecord): void;
  /** Calls `take` for each set of labels that was counted. */
  each(take: (labels: RequestLabels, count: number) => void): void;
}

interface Count {
  labels: RequestLabels;
  count: number;
}

/** Methods that no route has are one: a client may make up any. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);

/**
 * @param most the most sets of labels; later ones are counted without model and key
 * @param modelLabel bounds the names of models
 */
export function createRequestCounts(most: number, modelLabel: (model: string) => string): RequestCounts {
  const counts = new Map<string, Count>();

  const countOf = (method: string, route: string, model: string, key: string, status: number): Count => {
    const id = `${method} ${route} ${status} ${key} ${model}`;
    const known = counts.get(id);
    if (known) return known;
    if (counts.size >= most && (model !== '' || key !== '')) return countOf(method, route, '', '', status);
    const added = { labels: { method, route, model, key, status: String(status) }, count: 0 };
    counts.set(id, added);
    return added;
  };

  return {
    add({ method, route, status, trace, key }) {
      const model = trace.model === undefined ? '' : modelLabel(trace.model);
      countOf(METHODS.has(method) ? method : 'other', route, model, key?.name ?? '', status).count += 1;
    },
    each(take) {
      for (const { labels, count } of counts.values()) take(labels, count);
    },
  };
}
