import { invalidRequest } from '../../errors.ts';

/** A field of a query string, decoded; null when it is not there. Throws a 400 `ApiError` for a wrong encoding. */
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
