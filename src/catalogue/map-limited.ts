/** Files that are open at once; more are not faster, and what a process may open is limited. */
const MOST_AT_ONCE = 16;

/** Maps in order, some at once. */
export async function mapLimited<T, R>(items: T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, items.length) }, work));
  return results;
}
