import { invalidRequest } from '../../contract/errors.ts';

/**
 * Returns a field of a query string, decoded, or null if it is missing. Throws a 400 `ApiError` if its encoding is
 * wrong.
 */
export function queryField(query: string, name: string): string | null {
  for (const pair of query.split('&')) {
    const [key, ...value] = pair.split('=');
    if (key === name) return decode(value.join('='), name);
  }
  return null;
}

function decode(value: string, name: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    throw invalidRequest(`${name} is not a valid URL encoding.`, name);
  }
}
