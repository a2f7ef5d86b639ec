import { typeOf } from '../../../src/media/file-type.ts';
import { readImageSize } from '../../../src/media/image-size.ts';
import { MEDIA_LIMITS } from '../../../src/media/limits.ts';
import { MediaProblem } from '../../../src/media/problem.ts';
import { checkSize, isImageType, readRecording } from '../../../src/media/reader.ts';
import { type Attachment, BEGINNING_BYTES, kindOf, noText, refusalOf } from '../data/attachments.ts';
import type { Recording } from '../data/conversation.ts';
import { decodeText } from '../data/decode-text.ts';
import type { ListedModel } from '../data/model.ts';
import { TEXT_LIMITS, type TextFile, tooLong } from '../data/text-file.ts';
import { t } from '../messages/language.ts';
import { lazy } from './lazy.ts';
import { toPicture } from './picture.ts';

const pdfReader = lazy(() => import('./read-pdf.ts'));

/** The result of reading a person's files: the attachments, and the reasons why other files were refused. */
export interface Attached {
  attachments: Attachment[];
  problems: string[];
}

/** Reads files for this model, in their order. */
export async function readFiles(files: File[], model: ListedModel | undefined): Promise<Attached> {
  const read = await Promise.all(files.map((file) => readFile(file, model).catch(toProblem)));
  return {
    attachments: read.filter((one) => typeof one !== 'string'),
    problems: read.filter((one) => typeof one === 'string'),
  };
}

/** Throws an `Error` whose message is for people. */
async function readFile(file: File, model: ListedModel | undefined): Promise<Attachment> {
  const beginning = new Uint8Array(await readBytes(file, BEGINNING_BYTES));
  const kind = kindOf(beginning, file.type, model);
  const refusal = refusalOf(kind, file, model, t);
  if (refusal !== null) throw new Error(refusal);
  const bytes = new Uint8Array(await readBytes(file));
  if (kind === 'pdf') return { kind: 'text', file: await readPdf(file, bytes) };
  if (kind === 'text') return { kind, file: readText(file, bytes) };
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

/** A folder can be dropped too, and a file may be gone or locked. */
function readBytes(file: File, most?: number): Promise<ArrayBuffer> {
  return file
    .slice(0, most)
    .arrayBuffer()
    .catch(() => {
      throw new Error(t('files.unreadable', { name: file.name }));
    });
}

function readText({ name, size }: File, bytes: Uint8Array): TextFile {
  const text = decodeText(bytes);
  if (text === null) throw new Error(noText(name, bytes.subarray(0, BEGINNING_BYTES), t));
  if (text.trim() === '') throw new Error(t('files.empty', { name }));
  if (text.length > TEXT_LIMITS.characters) throw new Error(tooLong(name, t));
  return { name, size, text };
}

async function readPdf({ name, size }: File, bytes: Uint8Array): Promise<TextFile> {
  const reader = await pdfReader.load().catch(() => {
    throw new Error(t('files.noReader', { name }));
  });
  return { name, size, ...(await reader.readPdf(name, bytes)) };
}

/** Reads an image. Its header is checked first, since even a small file may have too many pixels to draw. */
function readImage(file: File, bytes: Uint8Array): Promise<string> {
  const type = typeOf(bytes);
  if (isImageType(type)) checkSize(readImageSize(type, bytes), MEDIA_LIMITS);
  return toPicture(file, file.name);
}

async function readAudio(name: string, file: Uint8Array): Promise<Recording> {
  const format = typeOf(file) === 'WAV' ? 'wav' : 'mp3';
  const { bytes, seconds } = readRecording(file, format, MEDIA_LIMITS);
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

function toProblem(error: unknown): string {
  return (error as Error).message;
}
