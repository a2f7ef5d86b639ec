import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { AttachIcon, CloseIcon } from '../parts/icons.tsx';
import { IconButton } from '../parts/parts.tsx';
import { type Attachment, type AttachmentKind, namesOf } from './attachments.ts';
import { FileCard } from './file-card.tsx';
import { RecordingView } from './recording.tsx';

interface AttachButtonProps {
  kinds: AttachmentKind[];
  onPick: (files: File[]) => void;
}

export function AttachButton({ kinds, onPick }: AttachButtonProps): JSX.Element {
  const label = t('files.attach', { kinds: namesOf(kinds, t) });
  return (
    <label class="icon-button file-button" title={label}>
      <AttachIcon />
      <input
        type="file"
        multiple
        aria-label={label}
        onChange={(event) => {
          onPick(Array.from(event.currentTarget.files ?? []));
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}

interface AttachmentsProps {
  attachments: Attachment[];
  onRemove: (attachment: Attachment) => void;
  /** Moves a pasted text into the message. If it is left out, the button for that is not shown. */
  onPutIn?: (attachment: Attachment) => void;
  /** Has a recording written down. If it is left out, the button for that is not shown. */
  onWriteDown?: ((attachment: Attachment, recording: Blob) => void) | undefined;
}

/** The attachments of the message, each with a remove button. */
export function Attachments({ attachments, onRemove, onPutIn, onWriteDown }: AttachmentsProps): JSX.Element {
  return (
    <ul class="pictures" aria-label={t('files.attached')}>
      {attachments.map((one, index) => (
        // Two files may have the same name.
        <li key={`${index} ${nameOf(one, index)}`}>
          {one.kind === 'image' && <img src={one.url} alt={t('files.attachment', { number: index + 1 })} />}
          {one.kind === 'audio' && (
            <RecordingView
              recording={one.recording}
              onWriteDown={onWriteDown && ((recording) => onWriteDown(one, recording))}
            />
          )}
          {one.kind === 'text' && (
            <FileCard file={one.file} {...(one.pasted && onPutIn && { onPutIn: () => onPutIn(one) })} />
          )}
          <IconButton label={t('files.remove', { name: nameOf(one, index) })} onClick={() => onRemove(one)}>
            <CloseIcon />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

/** Covers the page while files are dragged over it. */
export function DropZone({ kinds }: { kinds: AttachmentKind[] }): JSX.Element {
  return <p class="drop-zone">{t('files.drop', { kinds: namesOf(kinds, t) })}</p>;
}

function nameOf(attachment: Attachment, index: number): string {
  if (attachment.kind === 'image') return t('files.picture', { number: index + 1 });
  return attachment.kind === 'audio' ? attachment.recording.name : attachment.file.name;
}
