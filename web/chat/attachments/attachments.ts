import type { ListedModel } from '../../../src/contract/models/model.ts';
import { isCompressedAudio, isImageType, typeOf } from '../../../src/media/file-type.ts';
import { MEDIA_LIMITS } from '../../../src/media/limits.ts';
import type { Recording, UserTurn } from '../conversation/conversation.ts';
import { localizeList } from '../messages/numbers.ts';
import type { Translate } from '../messages/translate.ts';
import { fileSizeProblem, TEXT_LIMITS, type TextFile } from './text-file.ts';

/** An attachment of a message. */
export type Attachment =
  /** The image as a data: URL. */
  | { kind: 'image'; url: string }
  | { kind: 'audio'; recording: Recording }
  /** `pasted` is true for a long pasted text, which can be moved into the message. */
  | { kind: 'text'; file: TextFile; pasted?: boolean };

export type AttachmentKind = Attachment['kind'];

/** The kind of a file by its first bytes. A file of an unknown kind may be a text. */
export type FileKind = AttachmentKind | 'pdf';

/** The number of bytes at the beginning of a file that show its type. */
export const BEGINNING_BYTES = 4096;

const KINDS = ['image', 'audio', 'text'] as const;
const NOT_TAKEN = { image: 'files.takesNoImage', audio: 'files.takesNoAudio', text: 'files.takesNoText' } as const;

/** Returns the kinds of attachments that a model takes. Every model takes text. */
export function kindsOf(model: ListedModel | undefined): AttachmentKind[] {
  const { vision, audio } = model?.capabilities ?? {};
  return [...(vision ? ['image' as const] : []), ...(audio ? ['audio' as const] : []), 'text'];
}

/** Names the kinds in words: "pictures, recordings or files". */
export function namesOf(kinds: AttachmentKind[], t: Translate): string {
  return localizeList(
    kinds.map((kind) => t(`files.${kind}`)),
    t.tag,
    'disjunction',
  );
}

/**
 * Returns a file's kind by its first bytes. If they match no known format, the browser's type decides, because browsers
 * read more formats of pictures and recordings. An SVG drawing counts as a text for models that take no pictures.
 */
export function fileKindOf(beginning: Uint8Array, type: string, model?: ListedModel): FileKind {
  const found = typeOf(beginning);
  if (found === 'WAV' || found === 'MP3' || found === 'M4A' || isCompressedAudio(found)) return 'audio';
  if (found === 'PDF' || type === 'application/pdf') return 'pdf';
  if (type === 'image/svg+xml' && !kindsOf(model).includes('image')) return 'text';
  if (isImageType(found) || type.startsWith('image/')) return 'image';
  return type.startsWith('audio/') ? 'audio' : 'text';
}

/** Returns the reason, for people, why the model can't take this file; null if it can. */
export function refusalOf(
  kind: FileKind,
  file: { name: string; size: number },
  model: ListedModel | undefined,
  t: Translate,
): string | null {
  if (kind === 'pdf') return fileSizeProblem(file, TEXT_LIMITS.pdfBytes, t);
  if (kind === 'text') return fileSizeProblem(file, TEXT_LIMITS.bytes, t);
  if (!kindsOf(model).includes(kind)) {
    return t('files.notAttached', { reason: notTaken(kind, model, t), name: file.name });
  }
  return fileSizeProblem(file, MEDIA_LIMITS.fileBytes, t);
}

/** Returns a message for people which says that a file is not a text, and its format if that is known. */
export function noText(name: string, beginning: Uint8Array, t: Translate): string {
  const type = typeOf(beginning);
  return type === null ? t('files.noText', { name }) : t('files.wrongType', { name, type });
}

/** Returns the reason, for people, why a message with these attachments can't be sent to this model; null if it can. */
export function unfit(attachments: Attachment[], model: ListedModel | undefined, t: Translate): string | null {
  const kinds = kindsOf(model);
  const odd = attachments.find(({ kind }) => !kinds.includes(kind));
  return odd ? t('files.unfit', { reason: notTaken(odd.kind, model, t) }) : null;
}

/** Returns the number of attachments in words, for screen readers. */
export function inWords(attachments: Attachment[], t: Translate): string {
  const counts = KINDS.flatMap((kind) => {
    const count = attachments.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [t(`files.${kind}Count`, { count })];
  });
  return counts.length === 0 ? '' : t('files.areAttached', { what: localizeList(counts, t.tag) });
}

/** Adds attachments, without duplicates: a second copy of a file tells a model nothing new. */
export function withMore(attachments: Attachment[], more: Attachment[]): Attachment[] {
  const all = [...attachments, ...more];
  return all.filter((one, index) => all.findIndex((other) => isSame(one, other)) === index);
}

/** Sorts the attachments into the fields of a turn. */
export function sorted(attachments: Attachment[]): { images: string[]; recordings: Recording[]; files: TextFile[] } {
  return {
    images: attachments.flatMap((one) => (one.kind === 'image' ? [one.url] : [])),
    recordings: attachments.flatMap((one) => (one.kind === 'audio' ? [one.recording] : [])),
    files: attachments.flatMap((one) => (one.kind === 'text' ? [one.file] : [])),
  };
}

/** Returns the attachments of a turn. */
export function attachmentsOf({ images, recordings = [], files = [] }: UserTurn): Attachment[] {
  return [
    ...images.map((url): Attachment => ({ kind: 'image', url })),
    ...recordings.map((recording): Attachment => ({ kind: 'audio', recording })),
    ...files.map((file): Attachment => ({ kind: 'text', file })),
  ];
}

/**
 * True if a paste should attach the files of the clipboard. False if the clipboard also has text and HTML: then a word
 * processor has added a picture of the text.
 */
export function meansFiles(types: readonly string[]): boolean {
  return types.includes('Files') && !(types.includes('text/plain') && types.includes('text/html'));
}

function isSame(one: Attachment, other: Attachment): boolean {
  if (one.kind === 'image') return other.kind === 'image' && one.url === other.url;
  if (one.kind === 'audio') return other.kind === 'audio' && one.recording.url === other.recording.url;
  return other.kind === 'text' && one.file.name === other.file.name && one.file.text === other.file.text;
}

function notTaken(kind: AttachmentKind, model: ListedModel | undefined, t: Translate): string {
  return model ? t(NOT_TAKEN[kind], { model: model.name }) : t('files.noModel');
}
