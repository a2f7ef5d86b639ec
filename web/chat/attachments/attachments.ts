import { isImageType, typeOf } from '../../../src/media/file-type.ts';
import { MEDIA_LIMITS } from '../../../src/media/limits.ts';
import type { Recording, UserTurn } from '../conversation/conversation.ts';
import { formatList } from '../messages/numbers.ts';
import type { Translate } from '../messages/translate.ts';
import type { ListedModel } from '../models/model.ts';
import { TEXT_LIMITS, type TextFile, tooLarge } from './text-file.ts';

/** What is attached to a message. */
export type Attachment =
  /** The image as a data: URL. */
  | { kind: 'image'; url: string }
  | { kind: 'audio'; recording: Recording }
  /** `pasted` is true for a long paste, which may as well stand in the message. */
  | { kind: 'text'; file: TextFile; pasted?: boolean };

export type AttachmentKind = Attachment['kind'];

/** A kind by the beginning of a file. All that is not known may be a text. */
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
  return formatList(
    kinds.map((kind) => t(`files.${kind}`)),
    t.tag,
    'disjunction',
  );
}

/**
 * Returns a file's kind by its first bytes. If these are not known, the browser's type counts: it may read more kinds
 * of pictures. A drawing in SVG is also a text, for models that see no pictures.
 */
export function kindOf(beginning: Uint8Array, type: string, model?: ListedModel): FileKind {
  const found = typeOf(beginning);
  if (found === 'WAV' || found === 'MP3') return 'audio';
  if (found === 'PDF' || type === 'application/pdf') return 'pdf';
  if (type === 'image/svg+xml' && !kindsOf(model).includes('image')) return 'text';
  return isImageType(found) || type.startsWith('image/') ? 'image' : 'text';
}

/** Says for people why the model can't get this file; null if it can. */
export function refusalOf(
  kind: FileKind,
  file: { name: string; size: number },
  model: ListedModel | undefined,
  t: Translate,
): string | null {
  if (kind === 'pdf') return tooLarge(file, TEXT_LIMITS.pdfBytes, t);
  if (kind === 'text') return tooLarge(file, TEXT_LIMITS.bytes, t);
  if (!kindsOf(model).includes(kind)) {
    return t('files.notAttached', { reason: notTaken(kind, model, t), name: file.name });
  }
  return tooLarge(file, MEDIA_LIMITS.fileBytes, t);
}

/** Says for people that a file is no text, and what it is if that is known. */
export function noText(name: string, beginning: Uint8Array, t: Translate): string {
  const type = typeOf(beginning);
  return type === null ? t('files.noText', { name }) : t('files.wrongType', { name, type });
}

/** Says for people why a message with these attachments can't be sent to this model; null if it can. */
export function unfit(attachments: Attachment[], model: ListedModel | undefined, t: Translate): string | null {
  const kinds = kindsOf(model);
  const odd = attachments.find(({ kind }) => !kinds.includes(kind));
  return odd ? t('files.unfit', { reason: notTaken(odd.kind, model, t) }) : null;
}

/** Says what is attached, for screen readers. */
export function inWords(attachments: Attachment[], t: Translate): string {
  const counts = KINDS.flatMap((kind) => {
    const count = attachments.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [t(`files.${kind}Count`, { count })];
  });
  return counts.length === 0 ? '' : t('files.areAttached', { what: formatList(counts, t.tag) });
}

/** Adds attachments. The same file counts once, since a second copy tells a model nothing new. */
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

/** Returns what was attached to a turn. */
export function attachmentsOf({ images, recordings = [], files = [] }: UserTurn): Attachment[] {
  return [
    ...images.map((url): Attachment => ({ kind: 'image', url })),
    ...recordings.map((recording): Attachment => ({ kind: 'audio', recording })),
    ...files.map((file): Attachment => ({ kind: 'text', file })),
  ];
}

/**
 * True if the files of the clipboard are meant. If text and HTML come with them, they are not: a word processor adds a
 * picture of the text.
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
