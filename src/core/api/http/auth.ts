import { type ApiError, invalidApiKey } from '../../errors.ts';

/** Lets a request pass if no key is configured or if it has one of the configured keys. Throws a 401 `ApiError`. */
export function authenticate(apiKeys: string[], headers: Record<string, string>): void {
  const problem = findKeyProblem(apiKeys, headers);
  if (problem) throw problem;
}

/** Says whether a request would pass `authenticate`. */
export function isKnown(apiKeys: string[], headers: Record<string, string>): boolean {
  return findKeyProblem(apiKeys, headers) === null;
}

/**
 * Names who a request speaks for, to tell what one key has stored from what others have: the hash of its key. Requests without a
 * key are all one owner.
 */
export async function ownerOf(apiKeys: string[], headers: Record<string, string>): Promise<string> {
  const given = givenKeys(headers);
  const known = given.find((key) => apiKeys.some((other) => equalInConstantTime(other, key)));
  const key = apiKeys.length > 0 ? known : given[0];
  if (key === undefined) return 'anonymous';
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function findKeyProblem(apiKeys: string[], headers: Record<string, string>): ApiError | null {
  if (apiKeys.length === 0) return null;
  const given = givenKeys(headers);
  if (given.length === 0)
    return invalidApiKey(
      'An API key is required, in a header Authorization: Bearer <API_KEY> or x-api-key: <API_KEY>.',
    );
  // Every key is compared, and each in full: how long it takes must not tell how close a guess came.
  const matches = apiKeys.flatMap((known) => given.map((key) => equalInConstantTime(known, key))).filter(Boolean);
  return matches.length > 0 ? null : invalidApiKey('The API key is not valid.');
}

/** The keys in `Authorization` and `x-api-key`: clients that must fill in the one may send the right key in the other. */
function givenKeys({ authorization = '', 'x-api-key': apiKey }: Record<string, string>): string[] {
  const [scheme, key] = authorization.split(/ +(.*)/, 2);
  const bearer = scheme?.toLowerCase() === 'bearer' ? key : undefined;
  return [bearer, apiKey].filter((given): given is string => Boolean(given));
}

function equalInConstantTime(known: string, given: string): boolean {
  let difference = known.length ^ given.length;
  for (let index = 0; index < given.length; index++) {
    difference |= given.charCodeAt(index) ^ known.charCodeAt(index % known.length);
  }
  return difference === 0;
}
