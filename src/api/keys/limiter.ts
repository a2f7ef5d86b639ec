import { ApiError } from '../../contract/errors.ts';
import { type Bucket, createBucket } from './bucket.ts';
import type { ApiKey, KeyLimits } from './key.ts';

/** A request that a key's limits have let in. */
export interface Pass {
  /**
   * Takes the tokens that the request may need from the key's limit until `leave`, at most as many as the key may use in a minute. `estimate`
   * is called if the key has such a limit. Throws a 429 `ApiError` with `Retry-After` if the key has no tokens left; the later calls of
   * one request throw nothing.
   */
  reserve(estimate: () => number): void;
  /** Call it once, at the end of the request, with the number of tokens that the request took. */
  leave(tokens: number): void;
}

/** Enforces the limits of keys. It counts by the names of the keys. */
export interface Limiter {
  /**
   * Counts a request. Throws a 429 `ApiError` with `Retry-After` if the key is over a limit. A key's requests in the
   * background are counted separately, under the same limits, so that they use up nothing that its other requests may
   * use.
   */
  enter(key: ApiKey, background?: boolean): Pass;
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
    enter({ name, limits }, background = false) {
      if (!limits) return { reserve() {}, leave() {} };
      const counted = background ? `${name} in the background` : name;
      const use = useOf(counted, limits);
      uses.set(counted, use);
      check(name, use);
      use.requests?.take(1);
      use.underWay += 1;
      const began = now();
      let reserved = 0;
      return {
        reserve(estimate) {
          const { tokensPerMinute } = use.limits;
          if (!use.tokens || tokensPerMinute === null) return;
          if (reserved === 0) checkTokens(name, use);
          const more = Math.min(estimate(), tokensPerMinute - reserved);
          use.tokens.take(more);
          reserved += more;
        },
        leave(tokens) {
          // The limits of the key may have changed since the request began. The bucket of new limits has nothing reserved.
          const current = uses.get(counted) ?? use;
          current.underWay -= 1;
          current.tokens?.take(current === use ? tokens - reserved : tokens);
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

/** Throws a 429 `ApiError` over a limit. A request may begin while any tokens are left: it may exceed the limit of tokens. */
function check(name: string, use: Use): void {
  const { limits, requests, underWay, meanMs } = use;
  if (requests && requests.left() < 1)
    throw tooMany(`the key '${name}' may make ${limits.requestsPerMinute} requests a minute`, requests.secondsUntil(1));
  checkTokens(name, use);
  if (limits.concurrency !== null && underWay >= limits.concurrency) {
    const seconds = meanMs / 1000 / limits.concurrency;
    throw tooMany(`the key '${name}' may have ${limits.concurrency} requests under way at once`, seconds);
  }
}

function checkTokens(name: string, { limits, tokens }: Use): void {
  if (tokens && tokens.left() < 1)
    throw tooMany(`the key '${name}' may use ${limits.tokensPerMinute} tokens a minute`, tokens.secondsUntil(1));
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
