import { ApiError } from '../../contract/errors.ts';
import { type Bucket, createBucket } from './bucket.ts';
import type { ApiKey, KeyLimits } from './key.ts';

/** A request that a key's limits have let in. */
export interface Pass {
  /** Call it once, at the end of the request, with the number of tokens that the request took. */
  leave(tokens: number): void;
}

/** Enforces the limits of keys. It counts by the names of the keys. */
export interface Limiter {
  /** Counts a request. Throws a 429 `ApiError` with `Retry-After` if the key is over a limit. */
  enter(key: ApiKey): Pass;
  /** Returns the rate limit headers of a key; none for a key without limits. It counts nothing. */
  headers(key: ApiKey | null): Record<string, string>;
}

/** The use of a key: its buckets, and its running requests. */
interface Use {
  limits: KeyLimits;
  requests: Bucket | null;
  tokens: Bucket | null;
  underWay: number;
  /** The mean duration of its latest requests, in ms: the `Retry-After` if too many run at the same time. */
  meanMs: number;
}

/** The weight of the latest request in the mean duration of a key's requests. */
const WEIGHT_OF_NEWEST = 0.2;
const FIRST_GUESS_MS = 1000;

/** @param now a clock in ms that never goes back */
export function createLimiter(now: () => number): Limiter {
  const uses = new Map<string, Use>();

  const useOf = (name: string, limits: KeyLimits): Use => {
    const known = uses.get(name);
    // The limits of a key may be changed while the server runs.
    return known?.limits === limits ? known : startUse(limits, known, now);
  };

  return {
    enter({ name, limits }) {
      if (!limits) return { leave() {} };
      const use = useOf(name, limits);
      uses.set(name, use);
      check(name, use);
      use.requests?.take(1);
      use.underWay += 1;
      const began = now();
      return {
        leave(tokens) {
          // The limits of the key may have changed since the request began.
          const current = uses.get(name) ?? use;
          current.underWay -= 1;
          current.tokens?.take(tokens);
          current.meanMs += WEIGHT_OF_NEWEST * (now() - began - current.meanMs);
        },
      };
    },

    headers(key) {
      if (!key?.limits) return {};
      const { requests, tokens, limits } = useOf(key.name, key.limits);
      return {
        ...bucketHeaders('requests', requests, limits.requestsPerMinute),
        ...bucketHeaders('tokens', tokens, limits.tokensPerMinute),
      };
    },
  };
}

/** Returns the use of a key with new limits: full buckets, and the requests that still run. */
function startUse(limits: KeyLimits, before: Use | undefined, now: () => number): Use {
  const bucket = (perMinute: number | null) => (perMinute === null ? null : createBucket(perMinute, now));
  return {
    limits,
    requests: bucket(limits.requestsPerMinute),
    tokens: bucket(limits.tokensPerMinute),
    underWay: before?.underWay ?? 0,
    meanMs: before?.meanMs ?? FIRST_GUESS_MS,
  };
}

/**
 * Throws a 429 `ApiError` over a limit. The tokens of a request are known when it ends, so it may begin while any
 * tokens are left.
 */
function check(name: string, { limits, requests, tokens, underWay, meanMs }: Use): void {
  if (requests && requests.left() < 1)
    throw tooMany(`the key '${name}' may make ${limits.requestsPerMinute} requests a minute`, requests.secondsUntil(1));
  if (tokens && tokens.left() < 1)
    throw tooMany(`the key '${name}' may use ${limits.tokensPerMinute} tokens a minute`, tokens.secondsUntil(1));
  if (limits.concurrency !== null && underWay >= limits.concurrency) {
    const seconds = meanMs / 1000 / limits.concurrency;
    throw tooMany(`the key '${name}' may have ${limits.concurrency} requests under way at once`, seconds);
  }
}

/** 429: the limits of the key do not let the request in. */
function tooMany(limit: string, seconds: number): ApiError {
  const wait = Math.max(1, Math.ceil(seconds));
  return new ApiError({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    param: null,
    message: `Too many requests: ${limit}. Try again in ${wait} s.`,
    headers: { 'retry-after': String(wait) },
  });
}

/** Returns OpenAI's rate limit headers: https://platform.openai.com/docs/guides/rate-limits */
function bucketHeaders(what: string, bucket: Bucket | null, limit: number | null): Record<string, string> {
  if (!bucket || limit === null) return {};
  return {
    [`x-ratelimit-limit-${what}`]: String(limit),
    [`x-ratelimit-remaining-${what}`]: String(Math.max(0, Math.floor(bucket.left()))),
    [`x-ratelimit-reset-${what}`]: `${Number(bucket.secondsUntil(limit).toFixed(3))}s`,
  };
}
