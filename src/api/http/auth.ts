import { ApiError, invalidApiKey } from '../../contract/errors.ts';
import type { ApiKey, ApiKeys } from '../keys/key.ts';
import type { ApiRequest } from './http.ts';

/**
 * Returns the key of a request, or null if none is configured. Throws a 401 `ApiError` for a request without a valid
 * key.
 */
export function authenticate(keys: ApiKeys, headers: Record<string, string>): ApiKey | null {
  if (!keys.required) return null;
  const given = givenKeys(headers);
  if (given.length === 0)
    throw invalidApiKey('An API key is required, in a header Authorization: Bearer <API_KEY> or x-api-key: <API_KEY>.');
  const [key] = given.flatMap((text) => keys.find(text) ?? []);
  if (!key) throw invalidApiKey('The API key is not valid.');
  return key;
}

/** Returns the key of a request for which a key is optional: null without a valid key. */
export function keyOf(keys: ApiKeys, headers: Record<string, string>): ApiKey | null {
  return givenKeys(headers).flatMap((text) => keys.find(text) ?? [])[0] ?? null;
}

/** Throws a 403 `ApiError` for a key that may only run models. */
export function checkManages(key: ApiKey | null): void {
  if (!key || key.manages) return;
  throw new ApiError({
    status: 403,
    type: 'permission_error',
    code: 'key_not_allowed',
    param: null,
    message: `The key '${key.name}' may ask models, but not manage them or read the metrics.`,
  });
}

/**
 * Returns the owner of the data that a request stores: the hash of its key, so that no key reads the data of another.
 * All requests without a key have the same owner.
 */
export async function ownerOf(
  keys: ApiKeys,
  { headers, onBehalf }: Pick<ApiRequest, 'headers' | 'onBehalf'>,
): Promise<string> {
  if (onBehalf) return onBehalf.owner;
  const given = givenKeys(headers);
  const key = keys.required ? given.find((text) => keys.find(text) !== undefined) : given[0];
  if (key === undefined) return 'anonymous';
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns the keys in `Authorization` and `x-api-key`. Some clients require any value for one header, and send the key
 * in the other.
 */
function givenKeys({ authorization = '', 'x-api-key': apiKey }: Record<string, string>): string[] {
  const [scheme, key] = authorization.split(/ +(.*)/, 2);
  const bearer = scheme?.toLowerCase() === 'bearer' ? key : undefined;
  return [bearer, apiKey].filter((given): given is string => Boolean(given));
}
