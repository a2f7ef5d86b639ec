import { ApiError } from '../../contract/errors.ts';
import { type Bucket, createBucket } from './bucket.ts';
import type { ApiKey, KeyLimits } from './key.ts';

/** A request that a key's limits have let in. */
export interface Pass {
  /** Says that the request is answered, and how many tokens it took. To be called once. */
  leave(tokens: number): void;
}

/** Keeps keys within their limits. It counts by the names of the keys. */
export interface Limiter {
  /** Lets a request in, or throws a 429 `ApiError` that says when to come again. */
  enter(key: ApiKey): Pass;
  /** The headers that tell a client what its key has left; none for a key without limits. To ask changes nothing. */
  headers(key: ApiKey | null): Record<string, string>;
}

/** What a key has used. */
interface Use {
  limits: KeyLimits;
  requests: Bucket | null;
  tokens: Bucket | null;
  underWay: number;
  /** How long its latest requests took, in ms: what to wait for when too many are under way. */
  meanMs: number;
}

/** A new request counts this much in the mean time of a key's requests. */
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
          // Of the key as it is by now: its limits may have been changed meanwhile.
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

/** What a key has used of new limits: nothing, but who is under way stays so. */
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

/** What a request costs is known when it ends. So one is let in while any tokens are left, and the next ones pay for it. */
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

/** The names and forms of OpenAI's headers: https://platform.openai.com/docs/guides/rate-limits */
function bucketHeaders(what: string, bucket: Bucket | null, limit: number | null): Record<string, string> {
  if (!bucket || limit === null) return {};
  return {
    [`x-ratelimit-limit-${what}`]: String(limit),
    [`x-ratelimit-remaining-${what}`]: String(Math.max(0, Math.floor(bucket.left()))),
    [`x-ratelimit-reset-${what}`]: `${Number(bucket.secondsUntil(limit).toFixed(3))}s`,
  };
}
