import type { RequestRecord } from '../api/record.ts';

/** The labels of a count, as they are in the metrics. */
export type RequestLabels = Record<'method' | 'route' | 'model' | 'key' | 'status', string>;

/**
 * Counts requests. This runs for each request, so it only looks up a counter and adds one: it builds no strings, and allocates only for
 * the first request with a set of labels.
 */
export interface RequestCounts {
  add(record: RequestRecord): void;
  /** Calls `take` for each set of labels that was counted. */
  each(take: (labels: RequestLabels, count: number) => void): void;
}

interface Count {
  method: string;
  status: number;
  count: number;
}

/** The counts by route, model and key, whose strings are few and the same objects each time. Each list of counts is short. */
type Counts = Map<string, Map<string, Map<string, Count[]>>>;

/** All other methods are counted together, since a client may invent any. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);

/**
 * @param most the most sets of labels; requests with further sets are counted without model and key
 * @param modelLabel returns the label for a model, from a bounded set of values
 */
export function createRequestCounts(most: number, modelLabel: (model: string) => string): RequestCounts {
  const counts: Counts = new Map();
  let size = 0;

  const countOf = (route: string, model: string, key: string, method: string, status: number): Count => {
    for (const known of counts.get(route)?.get(model)?.get(key) ?? NONE)
      if (known.status === status && known.method === method) return known;
    if (size >= most && (model !== '' || key !== '')) return countOf(route, '', '', method, status);
    size += 1;
    const added = { method, status, count: 0 };
    const byModel = getOrAdd(counts, route, newMap<Map<string, Count[]>>);
    getOrAdd(getOrAdd(byModel, model, newMap<Count[]>), key, newList).push(added);
    return added;
  };

  return {
    add({ method, route, status, trace: { model }, key }) {
      const label = model === undefined ? '' : modelLabel(model);
      countOf(route, label, key === null ? '' : key.name, METHODS.has(method) ? method : 'other', status).count += 1;
    },
    each(take) {
      for (const [route, models] of counts)
        for (const [model, keys] of models)
          for (const [key, list] of keys)
            for (const { method, status, count } of list)
              take({ method, route, model, key, status: String(status) }, count);
    },
  };
}

const NONE: Count[] = [];
const newMap = <V>() => new Map<string, V>();
const newList = (): Count[] => [];

function getOrAdd<V>(map: Map<string, V>, name: string, make: () => V): V {
  const known = map.get(name);
  if (known !== undefined) return known;
  const added = make();
  map.set(name, added);
  return added;
}
