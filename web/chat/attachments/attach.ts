import type { ListedModel } from '../../../src/contract/models/model.ts';
import { t } from '../messages/language.ts';
import { lazy } from '../parts/lazy.ts';
import { type Attachment, BEGINNING_BYTES, fileKindOf, noText, refusalOf } from './attachments.ts';
import { decodeText } from './decode-text.ts';
import { TEXT_LIMITS, type TextFile, tooLong } from './text-file.ts';

const pdfReader = lazy(() => import('./read-pdf.ts'));
const mediaReader = lazy(() => import('./read-media.ts'));

/** The result of reading a person's files: the attachments, and the reasons why other files were refused. */
export interface AttachResult {
  attachments: Attachment[];
  problems: string[];
}

/** Reads files as attachments for this model, in their order. */
export async function readFiles(files: File[], model: ListedModel | undefined): Promise<AttachResult> {
  const read = await Promise.all(files.map((file) => readFile(file, model).catch(toProblem)));
  return {
    attachments: read.filter((one) => typeof one !== 'string'),
    problems: read.filter((one) => typeof one === 'string'),
  };
}

/** Reads a file as an attachment. Throws an `Error` whose message is for people. */
async function readFile(file: File, model: ListedModel | undefined): Promise<Attachment> {
  const beginning = new Uint8Array(await readBytes(file, BEGINNING_BYTES));
  const kind = fileKindOf(beginning, file.type, model);
  const refusal = refusalOf(kind, file, model, t);
  if (refusal !== null) throw new Error(refusal);
  const bytes = new Uint8Array(await readBytes(file));
  if (kind === 'pdf') return { kind: 'text', file: await readPdf(file, bytes) };
  if (kind === 'text') return { kind, file: readText(file, bytes) };
  const reader = await mediaReader.load().catch(() => noReader(file.name));
  return reader.readMediaAttachment(kind, file, bytes);
}

/**
 * Reads the first `most` bytes of a file, or all of them. Throws an `Error` for people, for example for a folder or a
 * locked file.
 */
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
  const reader = await pdfReader.load().catch(() => noReader(name));
  return { name, size, ...(await reader.readPdf(name, bytes)) };
}

function noReader(name: string): never {
  throw new Error(t('files.noReader', { name }));
}

function toProblem(error: unknown): string {
  return (error as Error).message;
}
