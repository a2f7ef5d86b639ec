import type { JSX } from 'preact';
import { type Attachment, type AttachmentKind, acceptOf, namesOf, urlOf } from '../data/attachments.ts';
import type { ListedModel } from '../data/model.ts';
import { AttachIcon, CloseIcon } from './icons.tsx';
import { IconButton } from './parts.tsx';
import { RecordingView } from './recording.tsx';

interface AttachButtonProps {
  kinds: AttachmentKind[];
  onPick: (files: File[]) => void;
}

export function AttachButton({ kinds, onPick }: AttachButtonProps): JSX.Element {
  const label = `Attach ${namesOf(kinds)}`;
  return (
    <label class="icon-button file-button" title={label}>
      <AttachIcon />
      <input
        type="file"
        accept={acceptOf(kinds)}
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
}

/** The attachments of the message, each with a remove button. */
export function Attachments({ attachments, onRemove }: AttachmentsProps): JSX.Element {
  return (
    <ul class="pictures" aria-label="Attached">
      {attachments.map((one, index) => (
        <li key={urlOf(one)}>
          {one.kind === 'image' ? (
            <img src={one.url} alt={`Attachment ${index + 1}`} />
          ) : (
            <RecordingView recording={one.recording} />
          )}
          <IconButton label={`Remove ${nameOf(one, index)}`} onClick={() => onRemove(one)}>
            <CloseIcon />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

interface DropZoneProps {
  kinds: AttachmentKind[];
  model: ListedModel | undefined;
}

/** Covers the page while files are dragged over it. */
export function DropZone({ kinds, model }: DropZoneProps): JSX.Element {
  const taken = `Drop ${namesOf(kinds)} anywhere`;
  const notTaken = model ? `${model.name} takes neither pictures nor recordings` : 'There is no model yet';
  return <p class={kinds.length > 0 ? 'drop-zone' : 'drop-zone bad'}>{kinds.length > 0 ? taken : notTaken}</p>;
}

function nameOf(attachment: Attachment, index: number): string {
  return attachment.kind === 'image' ? `picture ${index + 1}` : attachment.recording.name;
}
