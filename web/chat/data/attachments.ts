import { typeOf } from '../../../src/media/file-type.ts';
import { MEDIA_LIMITS } from '../../../src/media/limits.ts';
import { isImageType } from '../../../src/media/reader.ts';
import type { Recording, Turn } from './conversation.ts';
import type { ListedModel } from './model.ts';

/** What a message brings besides its text. */
export type Attachment =
  /** As a data: URL. */
  { kind: 'image'; url: string } | { kind: 'audio'; recording: Recording };

export type AttachmentKind = Attachment['kind'];

/** As much of a file as tells what it is, in bytes. */
export const BEGINNING_BYTES = 4096;

const NAMES: Record<AttachmentKind, string> = { image: 'picture', audio: 'recording' };
const ACCEPT: Record<AttachmentKind, string> = { image: 'image/*', audio: 'audio/wav,audio/mpeg,.wav,.mp3' };

/** The kinds that a model looks at or listens to. */
export function kindsOf(model: ListedModel | undefined): AttachmentKind[] {
  const { vision, audio } = model?.capabilities ?? {};
  return [...(vision ? ['image' as const] : []), ...(audio ? ['audio' as const] : [])];
}

/** The kinds in words: pictures or recordings. */
export function namesOf(kinds: AttachmentKind[]): string {
  return kinds.map((kind) => `${NAMES[kind]}s`).join(' or ');
}

/** What a file dialog is to offer. */
export function acceptOf(kinds: AttachmentKind[]): string {
  return kinds.map((kind) => ACCEPT[kind]).join(',');
}

/** What a file is by its first bytes; the browser, which names a type, may read more kinds of pictures than we know. */
export function kindOf(beginning: Uint8Array, type: string): AttachmentKind | null {
  const found = typeOf(beginning);
  if (found === 'WAV' || found === 'MP3') return 'audio';
  return isImageType(found) || type.startsWith('image/') ? 'image' : null;
}

/** Why the model does not get this file, for people; null where it can. */
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

/** Why a message can't be sent to this model, for people; null where it can. */
export function unfit(attachments: Attachment[], model: ListedModel | undefined): string | null {
  const kinds = kindsOf(model);
  const odd = attachments.find(({ kind }) => !kinds.includes(kind));
  return odd ? `${notTaken(odd.kind, model)} Remove what is attached, or choose another model.` : null;
}

/** What is attached, for those who don't see it. */
export function inWords(attachments: Attachment[]): string {
  const counts = (['image', 'audio'] as const).flatMap((kind) => {
    const count = attachments.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [`${count} ${NAMES[kind]}${count === 1 ? '' : 's'}`];
  });
  return counts.length === 0 ? '' : `${counts.join(' and ')} attached.`;
}

/** These with more, each once: the same file twice tells a model nothing new. */
export function withMore(attachments: Attachment[], more: Attachment[]): Attachment[] {
  return [...new Map([...attachments, ...more].map((one) => [urlOf(one), one])).values()];
}

export function urlOf(attachment: Attachment): string {
  return attachment.kind === 'image' ? attachment.url : attachment.recording.url;
}

/** The attachments as a turn has them. */
export function sorted(attachments: Attachment[]): { images: string[]; recordings: Recording[] } {
  return {
    images: attachments.flatMap((one) => (one.kind === 'image' ? [one.url] : [])),
    recordings: attachments.flatMap((one) => (one.kind === 'audio' ? [one.recording] : [])),
  };
}

/** Whether the files of a clipboard are what is meant: a word processor adds a picture of the text that it copies. */
export function meansFiles(types: readonly string[]): boolean {
  return types.includes('Files') && !(types.includes('text/plain') && types.includes('text/html'));
}

/** How much of a conversation is media, in characters. */
export function mediaLength(turns: Turn[]): number {
  const urls = turns.flatMap((turn) =>
    turn.role === 'user' ? [...turn.images, ...(turn.recordings ?? []).map(({ url }) => url)] : [],
  );
  return urls.reduce((sum, url) => sum + url.length, 0);
}

function notTaken(kind: AttachmentKind, model: ListedModel | undefined): string {
  return model ? `${model.name} takes no ${NAMES[kind]}s.` : 'There is no model yet.';
}

function limitText(): string {
  return `${MEDIA_LIMITS.fileBytes / 1024 ** 2} MiB`;
}
