import { ApiError } from '../contract/errors.ts';

/**
 * Returns the 400 `ApiError` for a text in the field `param` that exceeds the context window. Both numbers are in
 * tokens.
 */
export function overlongText(param: 'input' | 'documents', tokens: number, contextLength: number): ApiError {
  return new ApiError({
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    param,
    message: `${param} has a text of ${tokens} tokens, but the context window of the model holds ${contextLength}.`,
    n_prompt_tokens: tokens,
    n_ctx: contextLength,
  });
}
