import { ApiError, invalidRequest, serverError, unsupportedParameter } from '../../contract/errors.ts';
import { unreadableMedia } from '../unreadable-media.ts';
import type { RuntimeLog, ServerError } from './runtime-log.ts';

/** The error of llama-server's JSON writer for a token that is not a whole character. */
const NOT_UTF8 = 'json.exception.type_error.316';
/** The beginning of llama-server's error for an image or a recording that it can't read. */
const UNREADABLE = 'Failed to format input';

/** True if the runtime stopped because a token is not a whole character. */
export function isUntellable({ reason }: RuntimeLog): boolean {
  return reason?.includes(NOT_UTF8) ?? false;
}

/**
 * True if llama-server could not reuse the beginning of its cached prompt: it cannot cut a prompt between two adjacent
 * images.
 */
export function isUncuttable(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Chunk not found');
}

/** Returns the error for logprobs of a token that is not a whole character: llama-server cannot write them. */
export function untellableLogprobs(): Error {
  return unsupportedParameter(
    'logprobs',
    'logprobs can not be told of this reply: the WebAssembly runtime knows no tokens that are a part of a character.',
  );
}

/**
 * Returns a 500 `ApiError` for a reply with a grammar that cannot be continued, because its beginning is generated
 * differently now.
 */
export function notResumable(): Error {
  const message = 'The engine died, and the next one can not go on with a reply that has to match a schema. Ask again.';
  return new ApiError({ ...serverError(message).data, code: 'reply_not_resumable' });
}

/** Returns a 400 `ApiError`: llama-server does not return the log probabilities of a prompt. */
export function noPromptLogprobs(): Error {
  return unsupportedParameter(
    'logprobs',
    'logprobs with echo needs the native engine: the WebAssembly runtime tells no probabilities of the tokens of a prompt.',
  );
}

/** Returns a 400 `ApiError`: wllama loads a model and its projector, and no other file. */
export function noAdapters(): Error {
  return unsupportedParameter('lora', 'LoRA adapters need the native engine: the WebAssembly runtime loads none.');
}

/** Returns a 400 `ApiError`: llama.cpp needs several threads to read recordings. */
export function audioNeedsThreads(): Error {
  return unsupportedParameter(
    'messages',
    'Audio needs threads, which browsers give to cross-origin isolated pages only.',
  );
}

/** Turns an error of llama-server about the request into a 400 `ApiError`. */
export function refusal({ message }: ServerError): Error {
  if (!message.startsWith(UNREADABLE)) return invalidRequest(message);
  return unreadableMedia();
}
