import { invalidRequest } from '../../contract/errors.ts';
import type { ApiRequest } from './http.ts';
import { createJsonScan } from './json-scan.ts';
import { wrongMediaType } from './refusals.ts';
import { toWellFormed } from './well-formed.ts';

/** The length of a body that is parsed at once, without a break for other requests, in characters. */
const SMALL_BODY_LENGTH = 64 * 1024;

/**
 * Returns the parsed body of a request. Throws a 415 `ApiError` for another content type, and a 400 for a body that is
 * empty, malformed or over a limit. A body over a limit is refused before it is parsed and, if possible, before all of
 * it has come.
 */
export async function parseJsonBody(request: Pick<ApiRequest, 'headers' | 'text'>): Promise<unknown> {
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw wrongMediaType('JSON, sent with Content-Type: application/json');
  }
  const scan = createJsonScan();
  const body = await request.text(scan.look);
  if (!/\S/.test(body))
    throw invalidRequest('The request body is empty; a JSON object is required.', null, 'empty_body');
  const value = parse(body);
  await letOthersGo(body);
  if (!scan.escapesSurrogates()) return value;
  const mended = toWellFormed(value);
  await letOthersGo(body);
  return mended;
}

/** Lets other requests run between two steps with a large body, each of which takes tens of milliseconds. */
async function letOthersGo({ length }: string): Promise<void> {
  if (length > SMALL_BODY_LENGTH) await new Promise<void>((resolve) => setTimeout(resolve, 0));
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalidRequest('The request body is not valid JSON.', null, 'invalid_json');
  }
}
