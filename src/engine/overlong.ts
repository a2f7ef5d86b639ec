import { type ApiError, invalidRequest } from '../core/errors.ts';

/** 400: a text in the field `param` is too long for a vector or a score. Both numbers are in tokens. */
export function overlongText(param: 'input' | 'documents', tokens: number, contextLength: number): ApiError {
  return invalidRequest(
    `${param} has a text of ${tokens} tokens, but the context window of the model holds ${contextLength}.`,
    param,
    'context_length_exceeded',
  );
}
