import * as v from 'valibot';
import { ApiError } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import { validate } from '../fields/fields.ts';
import type { ApiReply, ApiRequest } from '../http/http.ts';
import { parseJsonBody } from '../http/json-body.ts';

/** The body of POST /v1/moderations. No field of it is read. */
export const moderationRequestSchema = v.looseObject({}, 'must be a JSON object');

/**
 * POST /v1/moderations. Throws a 501 `ApiError` that says what to do instead: a 404 would look like a wrong address, and
 * an empty result like a clean text.
 */
export async function refuseModeration(_: RequestContext, request: ApiRequest): Promise<ApiReply> {
  validate(moderationRequestSchema, await parseJsonBody(request));
  throw new ApiError({
    status: 501,
    type: 'invalid_request_error',
    code: 'moderations_not_supported',
    param: null,
    message:
      'This server makes no moderations: no text was checked. Ask a model that classifies texts with a chat completion ' +
      'instead, such as the starter model qwen3guard:0.6b, or switch moderation off in your program.',
  });
}
