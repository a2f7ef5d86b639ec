import { formatBytes } from '../../../src/core/bytes.ts';
import { typeOf } from '../../../src/media/file-type.ts';
import { MEDIA_LIMITS } from '../../../src/media/limits.ts';
import { isImageType } from '../../../src/media/reader.ts';
import type { Recording } from './conversation.ts';
import type { ListedModel } from './model.ts';

/** A picture or a recording that is attached to a message. */
export type Attachment =
  /** The image as a data: URL. */
  { kind: 'image'; url: string } | { kind: 'audio'; recording: Recording };

export type AttachmentKind = Attachment['kind'];

/** The number of bytes at the beginning of a file that show its type. */
export const BEGINNING_BYTES = 4096;

const NAMES: Record<AttachmentKind, string> = { image: 'picture', audio: 'recording' };
const ACCEPT: Record<AttachmentKind, string> = { image: 'image/*', audio: 'audio/wav,audio/mpeg,.wav,.mp3' };

/** Returns the kinds of attachments that a model takes. */
export function kindsOf(model: ListedModel | undefined): AttachmentKind[] {
  const { vision, audio } = model?.capabilities ?? {};
  return [...(vision ? ['image' as const] : []), ...(audio ? ['audio' as const] : [])];
}

/** Names the kinds in words: "pictures or recordings". */
export function namesOf(kinds: AttachmentKind[]): string {
  return kinds.map((kind) => `${NAMES[kind]}s`).join(' or ');
}

/** Returns the file types that a file dialog offers. */
export function acceptOf(kinds: AttachmentKind[]): string {
  return kinds.map((kind) => ACCEPT[kind]).join(',');
}

/**
 * Returns a file's kind by its first bytes. If these are not known, the browser's type counts: it may read more kinds
 * of pictures.
 */
export function kindOf(beginning: Uint8Array, type: string): AttachmentKind | null {
  const found = typeOf(beginning);
  if (found === 'WAV' || found === 'MP3') return 'audio';
  return isImageType(found) || type.startsWith('image/') ? 'image' : null;
}

/** Says for people why the model can't get this file; null if it can. */
export function refusalOf(
  kind: AttachmentKind | null,
  { name, size }: { name: string; size: number },
  model: ListedModel | undefined,
): string | null {
  if (kind === null) return `“${name}” is neither a picture nor a recording in WAV or MP3.`;
  const kinds = kindsOf(model);
  if (!kinds.includes(kind)) return `${notTaken(kind, model)} “${name}” is not attached.`;
  if (size > MEDIA_LIMITS.fileBytes) return `“${name}” is too large: a file may have ${limitText()} at most.`;
  return null;
}

/** Says for people why a message with these attachments can't be sent to this model; null if it can. */
export function unfit(attachments: Attachment[], model: ListedModel | undefined): string | null {
  const kinds = kindsOf(model);
  const odd = attachments.find(({ kind }) => !kinds.includes(kind));
  return odd ? `${notTaken(odd.kind, model)} Remove what is attached, or choose another model.` : null;
}

/** Says what is attached, for screen readers. */
export function inWords(attachments: Attachment[]): string {
  const counts = (['image', 'audio'] as const).flatMap((kind) => {
    const count = attachments.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [`${count} ${NAMES[kind]}${count === 1 ? '' : 's'}`];
  });
  return counts.length === 0 ? '' : `${counts.join(' and ')} attached.`;
}

/** Adds attachments. The same file counts once, since a second copy tells a model nothing new. */
export function withMore(attachments: Attachment[], more: Attachment[]): Attachment[] {
  return [...new Map([...attachments, ...more].map((one) => [urlOf(one), one])).values()];
}

export function urlOf(attachment: Attachment): string {
  return attachment.kind === 'image' ? attachment.url : attachment.recording.url;
}

/** Sorts the attachments into the fields of a turn. */
export function sorted(attachments: Attachment[]): { images: string[]; recordings: Recording[] } {
  return {
    images: attachments.flatMap((one) => (one.kind === 'image' ? [one.url] : [])),
    recordings: attachments.flatMap((one) => (one.kind === 'audio' ? [one.recording] : [])),
  };
}

/**
 * True if the files of the clipboard are meant. If text and HTML come with them, they are not: a word processor adds a
 * picture of the text.
 */
export function meansFiles(types: readonly string[]): boolean {
  return types.includes('Files') && !(types.includes('text/plain') && types.includes('text/html'));
}

function notTaken(kind: AttachmentKind, model: ListedModel | undefined): string {
  return model ? `${model.name} takes no ${NAMES[kind]}s.` : 'There is no model yet.';
}

/** Writes the limit without a decimal that is zero: `21 MB` instead of `21.0 MB`. */
function limitText(): string {
  return formatBytes(MEDIA_LIMITS.fileBytes).replace('.0 ', ' ');
}
