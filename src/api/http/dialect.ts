import type { ErrorData } from '../../contract/errors.ts';

/** How a family of endpoints tells its clients of an error: the status and the JSON body. */
export interface Dialect {
  /** The name of the body's schema in the OpenAPI document. */
  schema: string;
  /**
   * Returns the JSON body of an error, the same for a whole reply and for an error event in a stream. `requestId` is
   * null if the request has no id yet.
   */
  body(error: ErrorData, requestId: string | null): object;
  /** Returns the HTTP status of an error. Without this function, it is the error's own. */
  status?(error: ErrorData): number;
}

/**
 * OpenAI's errors, `{"error": {…}}`, for every family that declares no dialect, and for paths that no family
 * declares.
 */
export const openAiErrors: Dialect = {
  schema: 'Error',
  body({ status: _, headers: __, ...error }) {
    return { error };
  },
};

/** Returns the JSON body of an error in OpenAI's dialect. */
export function errorBody(error: ErrorData): object {
  return openAiErrors.body(error, null);
}

/**
 * Returns the message of an error for a dialect that has no field for `param`: it begins with the name of the wrong
 * field, unless the message names the field already.
 */
export function messageWithField({ status, message, param }: ErrorData): string {
  return status === 400 && param !== null && !message.includes(param) ? `${param}: ${message}` : message;
}
