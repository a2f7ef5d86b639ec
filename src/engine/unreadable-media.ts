import { invalidRequest } from '../contract/errors.ts';

/** Returns a 400 `ApiError` for an image or a recording that the model's projector cannot read. */
export function unreadableMedia(): Error {
  return invalidRequest(
    'The model can not read an image or a recording of this conversation: it is damaged, or of another kind.',
    'messages',
    'invalid_media',
  );
}
