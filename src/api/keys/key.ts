/** What a key may take, each null where nothing limits it. */
export interface KeyLimits {
  requestsPerMinute: number | null;
  /** Of prompts and replies together. */
  tokensPerMinute: number | null;
  /** Requests under way at once, those that wait included. */
  concurrency: number | null;
}

/** A key as the server knows it: whose it is and what it may do. */
export interface ApiKey {
  /** For log lines and metrics, which never have the key itself. */
  name: string;
  /** The ids of the models that it may use; null means all. Others do not exist for it. */
  models: readonly string[] | null;
  /** Whether it may load, unload, pull, import and remove models and read the metrics, besides asking models. */
  manages: boolean;
  /** Requests of a higher priority get free slots first. Most keys have 0. */
  priority: number;
  /** Null for a key without any limit. */
  limits: KeyLimits | null;
}

/** The keys that a server takes. */
export interface ApiKeys {
  /** False if no key is configured: then requests need none. */
  readonly required: boolean;
  /** Finds a key. How long it takes must not tell how close a guess came. */
  find(given: string): ApiKey | undefined;
}
