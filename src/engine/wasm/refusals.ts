import { invalidRequest, unsupportedParameter } from '../../core/errors.ts';
import type { RuntimeLog, ServerError } from './runtime-log.ts';

/** What llama-server's JSON writer says of a token that is no whole character. */
const NOT_UTF8 = 'json.exception.type_error.316';
/** How llama-server's words begin where it can't take in an image or a recording. */
const UNREADABLE = 'Failed to format input';

/** Whether the runtime broke off because a token is no whole character. */
export function isUntellable({ reason }: RuntimeLog): boolean {
  return reason?.includes(NOT_UTF8) ?? false;
}

export function untellableLogprobs(): Error {
  return unsupportedParameter(
    'logprobs',
    'logprobs can not be told of this reply: the WebAssembly runtime knows no tokens that are a part of a character.',
  );
}

/** llama.cpp takes recordings apart by several threads, and breaks where there are none. */
export function audioNeedsThreads(): Error {
  return unsupportedParameter(
    'messages',
    'Audio needs threads, which browsers give to cross-origin isolated pages only.',
  );
}

/** What llama-server refused of a request, as a 400 in the words of the API. */
export function refusal({ message }: ServerError): Error {
  if (!message.startsWith(UNREADABLE)) return invalidRequest(message);
  return invalidRequest(
    'The model can not read an image or a recording of this conversation: it is damaged, or of another kind.',
    'messages',
    'invalid_media',
  );
}
