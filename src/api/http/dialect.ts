import type { ErrorData } from '../../contract/errors.ts';

/** The words in which an API speaks of errors. The paths of a request tell which one its client speaks. */
export type Dialect = 'openai' | 'anthropic' | 'ollama';

export function dialectOf(path: string): Dialect {
  if (/^(\/v1)?\/messages(\/|$)/.test(path)) return 'anthropic';
  return path.startsWith('/api/') ? 'ollama' : 'openai';
}

/** The status of an error. Anthropic has one of its own for a server that has too much to do, and its clients wait then. */
export function errorStatus({ status, type }: ErrorData, dialect: Dialect): number {
  return dialect === 'anthropic' && type === 'overloaded' ? 529 : status;
}

/** The JSON body of an error. Whole replies and error events of a stream have the same. `requestId` is null if there is none yet. */
export function errorBody(error: ErrorData, dialect: Dialect = 'openai', requestId: string | null = null): object {
  switch (dialect) {
    case 'openai': {
      const { status: _, headers: __, ...body } = error;
      return { error: body };
    }
    case 'anthropic':
      return {
        type: 'error',
        error: {
          type: anthropicType(error),
          message: anthropicMessage(error),
          details: { error_code: error.code },
        },
        request_id: requestId,
      };
    case 'ollama':
      return { error: ollamaMessage(error) };
    default:
      return dialect satisfies never;
  }
}

/** Anthropic's types of errors go by the status: https://platform.claude.com/docs/en/api/errors */
const ANTHROPIC_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function anthropicType(error: ErrorData): string {
  const status = errorStatus(error, 'anthropic');
  return ANTHROPIC_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** Clients of Anthropic look for these words when a prompt is too long. */
function anthropicMessage(error: ErrorData): string {
  const { n_prompt_tokens: tokens, n_ctx: window } = error;
  return tokens === undefined ? namingField(error) : `prompt is too long: ${tokens} tokens > ${window} maximum`;
}

/** Users of Ollama widen the window by a request. Here it is the server's. */
function ollamaMessage(error: ErrorData): string {
  return error.n_ctx === undefined
    ? namingField(error)
    : `${error.message} options.num_ctx does not widen it: on a server, --ctx-len does.`;
}

/** These dialects have no field for the place of a mistake, so the message names it, if it does not do so anyway. */
function namingField({ status, message, param }: ErrorData): string {
  return status === 400 && param !== null && !message.includes(param) ? `${param}: ${message}` : message;
}
