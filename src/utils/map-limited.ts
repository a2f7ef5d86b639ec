/**
 * Like `Promise.all(items.map(map))`, but with at most `most` calls of `map` at a time. Rejects if one of them rejects.
 */
export async function mapLimited<T, R>(items: T[], most: number, map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return results;
}
