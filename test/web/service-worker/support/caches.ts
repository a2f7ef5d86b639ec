/** The Cache API of one origin, in memory: what Node 20 lacks. Addresses are what things are kept under. */
export function memoryCaches(): CacheStorage {
  const stores = new Map<string, Map<string, Response>>();
  const cacheOf = (store: Map<string, Response>) => ({
    match: async (url: string) => store.get(url)?.clone(),
    put: async (url: string, response: Response) => void store.set(url, response),
    delete: async (url: string) => store.delete(url),
    keys: async () => [...store.keys()].map((url) => new Request(url)),
  });
  const storage = {
    async open(name: string) {
      const store = stores.get(name) ?? new Map<string, Response>();
      stores.set(name, store);
      return cacheOf(store);
    },
    keys: async () => [...stores.keys()],
    delete: async (name: string) => stores.delete(name),
  };
  return storage as unknown as CacheStorage;
}
