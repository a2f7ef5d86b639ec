import type { ErrorData } from '../../contract/errors.ts';
import { type Dialect, messageWithField } from '../http/dialect.ts';

/** Anthropic's type of error for each status: https://platform.claude.com/docs/en/api/errors */
const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** The errors of Anthropic's API, `{"type": "error", "error": {…}}`. */
export const anthropicErrors: Dialect = {
  schema: 'AnthropicError',
  body: (error, requestId) => ({
    type: 'error',
    error: { type: typeOf(error), message: messageOf(error), details: { error_code: error.code } },
    request_id: requestId,
  }),
  status: statusOf,
};

/** Anthropic's status for a full queue is 529, after which its clients wait and retry. */
function statusOf({ status, type }: ErrorData): number {
  return type === 'overloaded' ? 529 : status;
}

function typeOf(error: ErrorData): string {
  const status = statusOf(error);
  return TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** Anthropic's clients look for these words to learn that a prompt is longer than the context window. */
function messageOf(error: ErrorData): string {
  const { n_prompt_tokens: tokens, n_ctx: window } = error;
  return tokens === undefined ? messageWithField(error) : `prompt is too long: ${tokens} tokens > ${window} maximum`;
}
