import { ApiError, invalidRequest } from '../../contract/errors.ts';
import type { ApiRequest } from './http.ts';
import { createJsonScan, type JsonLimits } from './json-scan.ts';
import { toWellFormed } from './well-formed.ts';

/** In characters. */
const SMALL_BODY_LENGTH = 64 * 1024;

/**
 * The request's JSON. Throws a 415 `ApiError` for another content type, and a 400 for an empty or malformed body or one beyond
 * the limits, which is refused before it is parsed and where possible before all of it has come.
 */
export async function parseJsonBody(
  request: Pick<ApiRequest, 'headers' | 'text'>,
  limits: JsonLimits,
): Promise<unknown> {
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new ApiError({
      status: 415,
      type: 'invalid_request_error',
      code: 'unsupported_media_type',
      param: null,
      message: 'The request body must be JSON, sent with Content-Type: application/json.',
    });
  }
  const scan = createJsonScan(limits);
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

/** Each step with a large body takes tens of milliseconds. Other requests are answered between two of them. */
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
