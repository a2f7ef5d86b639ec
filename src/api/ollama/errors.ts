import type { ErrorData } from '../../contract/errors.ts';
import { type Dialect, messageWithField } from '../http/dialect.ts';

/** The errors of Ollama's API, `{"error": "…"}`. */
export const ollamaErrors: Dialect = {
  schema: 'OllamaError',
  body: (error) => ({ error: messageOf(error) }),
};

/** Users of Ollama set the context window in each request. Here the server sets it, so the message names the flag. */
function messageOf(error: ErrorData): string {
  return error.n_ctx === undefined
    ? messageWithField(error)
    : `${error.message} options.num_ctx does not widen it: on a server, --ctx-len does.`;
}
