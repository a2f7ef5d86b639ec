/** The limits of a key. Each is null if there is no such limit. */
export interface KeyLimits {
  requestsPerMinute: number | null;
  /** The tokens of prompts and replies together. */
  tokensPerMinute: number | null;
  /** The number of requests at the same time, including waiting requests. */
  concurrency: number | null;
}

/** A key's name and permissions. It does not contain the key itself. */
export interface ApiKey {
  /** The name for log lines and metrics, which never contain the key itself. */
  name: string;
  /** The ids of the models that the key may use; null means all. All other models get a 404. */
  models: readonly string[] | null;
  /** True if the key may load, unload, pull, import and remove models and read the metrics, besides running models. */
  manages: boolean;
  /** Requests of a higher priority get free slots first. Most keys have 0. */
  priority: number;
  /** Null for a key without any limit. */
  limits: KeyLimits | null;
}

/** The keys that a server takes. */
export interface ApiKeys {
  /** False if no key is configured, so that requests need none. */
  readonly required: boolean;
  /** Finds a key. Its duration must not depend on how much of a wrong key is right. */
  find(given: string): ApiKey | undefined;
  /** Returns the key that has this name now. */
  named(name: string): ApiKey | undefined;
}
