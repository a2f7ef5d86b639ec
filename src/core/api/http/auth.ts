import { invalidApiKey } from '../../errors.ts';

/** Lets a request pass if no key is configured or if it has one of the configured keys. Throws a 401 `ApiError`. */
export function authenticate(apiKeys: string[], headers: Record<string, string>): void {
  if (apiKeys.length === 0) return;
  const [scheme, key] = (headers.authorization ?? '').split(/ +(.*)/, 2);
  if (!key || scheme?.toLowerCase() !== 'bearer') {
    throw invalidApiKey('An API key is required, in a header Authorization: Bearer <API_KEY>.');
  }
  // All keys are compared in full, so that the time this takes does not reveal how close a guess was.
  const matches = apiKeys.map((known) => equalInConstantTime(known, key)).filter(Boolean);
  if (matches.length === 0) throw invalidApiKey('The API key is not valid.');
}

function equalInConstantTime(known: string, given: string): boolean {
  let difference = known.length ^ given.length;
  for (let index = 0; index < given.length; index++) {
    difference |= given.charCodeAt(index) ^ known.charCodeAt(index % known.length);
  }
  return difference === 0;
}
