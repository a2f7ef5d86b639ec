import { isImageType, typeOf } from '../../../src/media/file-type.ts';
import { readImageSize } from '../../../src/media/image-size.ts';
import { MEDIA_LIMITS } from '../../../src/media/limits.ts';
import { MediaProblem } from '../../../src/media/problem.ts';
import { checkSize, readRecording } from '../../../src/media/reader.ts';
import type { Recording } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import type { Attachment } from './attachments.ts';
import { decodeToWav } from './decode-audio.ts';
import { toPicture } from './picture.ts';

/** Reads a picture or a recording. Throws an `Error` whose message is for people. */
export async function readMediaAttachment(
  kind: 'image' | 'audio',
  file: File,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Attachment> {
  try {
    return kind === 'image'
      ? { kind, url: await readImage(file, bytes) }
      : { kind, recording: await readAudio(file.name, bytes) };
  } catch (error) {
    throw error instanceof MediaProblem
      ? new Error(t('files.media', { name: file.name, problem: error.message }))
      : error;
  }
}

/** Reads an image. Checks its header first, because a small file may decode to too many pixels. */
function readImage(file: File, bytes: Uint8Array): Promise<string> {
  const type = typeOf(bytes);
  if (isImageType(type)) checkSize(readImageSize(type, bytes), MEDIA_LIMITS);
  return toPicture(file, file.name);
}

/** Reads a recording. One that is neither WAV nor MP3 becomes a WAV file. */
async function readAudio(name: string, file: Uint8Array<ArrayBuffer>): Promise<Recording> {
  const format = typeOf(file) === 'MP3' ? 'mp3' : 'wav';
  const known = format === 'mp3' || typeOf(file) === 'WAV' ? file : await decodeToWav(new Blob([file]));
  if (!known) throw new Error(t('files.noRecording', { name }));
  const { bytes, seconds } = readRecording(known, format, MEDIA_LIMITS);
  const type = format === 'wav' ? 'audio/wav' : 'audio/mpeg';
  return { name, seconds, url: await toDataUrl(new Blob([new Uint8Array(bytes)], { type })) };
}

function toDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(new Error(t('files.notRead')));
    reader.readAsDataURL(blob);
  });
}
