import { withoutMarks } from '../../chat/media-marks.ts';
import { invalidRequest } from '../../contract/errors.ts';
import { MEDIA_MARK, type Media, type MediaPart } from '../../contract/media.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import { mapLimited } from '../../utils/map-limited.ts';
import type { ApiContext } from '../context.ts';
import { cancelWith } from '../stream/cancel.ts';
import type { ContentPart, Conversation } from './conversation.ts';

/** The most images and recordings in one request. Each takes a large part of a context window. */
const MOST_PARTS = 32;
/** The most images and recordings that are read at the same time, to limit memory. */
const MOST_AT_ONCE = 4;

interface FoundPart {
  part: MediaPart;
  /** The index of the message with the image or recording. */
  message: number;
  /** Its path in the request, for error messages. */
  param: string;
}

/**
 * Turns a message's content into one text with a mark for each image and recording. The parts are joined here, because
 * templates differ in what they put between parts.
 */
export function joinContent(content: ContentPart[] | null): string | null {
  if (content === null) return null;
  const texts = [''];
  for (const part of content) {
    if (part.kind === 'text') texts.push(`${texts.pop()}${part.text}`);
    else texts.push('');
  }
  return texts.map(withoutMarks).join(MEDIA_MARK);
}

/**
 * Reads the images and recordings of each message, in order. Throws a 400 `ApiError` if the model does not take them,
 * if there are too many, or if the reader can't read one.
 */
export async function readMessageMedia(
  reader: ApiContext['media'],
  { messages, param: field = 'messages' }: Pick<Conversation, 'messages' | 'param'>,
  model: ModelCard,
  signal: AbortSignal,
): Promise<Media[][]> {
  const found = messages.flatMap(({ content }, message) => findParts(content ?? [], message));
  for (const { part, param } of found) checkModality(part, param, model);
  const [first] = found;
  if (!first) return [];
  if (!reader) throw unsupportedContent('This Paddock can take neither images nor audio.', first.param);
  if (found.length > MOST_PARTS) {
    const counts = `there are ${found.length}, and at most ${MOST_PARTS} are allowed`;
    throw invalidRequest(`${field} has too many images and recordings: ${counts}.`, field, 'too_many_media');
  }
  // If one can't be read, the request fails, so reading the others stops.
  const reading = cancelWith(signal);
  try {
    const read = await mapLimited(found, MOST_AT_ONCE, ({ part, param }) => reader.read(part, param, reading.signal));
    return messages.map((_, index) => read.filter((_, place) => found[place]?.message === index));
  } finally {
    reading.abort();
  }
}

function findParts(content: ContentPart[], message: number): FoundPart[] {
  return content.flatMap((part) => (part.kind === 'media' ? [{ part: part.media, message, param: part.param }] : []));
}

function checkModality({ kind }: MediaPart, param: string, model: ModelCard): void {
  const { id, settings, audioModel, lacksProjector } = model;
  if (kind === 'image' ? settings.vision_model : audioModel) return;
  const missing = lacksProjector ? ' Its projector is missing: a GGUF with mmproj in its name, beside the model.' : '';
  throw unsupportedContent(
    `The model '${id}' does not accept ${kind === 'image' ? 'images' : 'audio'}.${missing}`,
    param,
  );
}

function unsupportedContent(message: string, param: string) {
  return invalidRequest(message, param, 'unsupported_content');
}
